#include "bytecode/decode.h"

#include <catch2/catch.hpp>

#include "bytecode/compact.h"
#include "bytecode/test_corpus.h"
#include "bytecode/text_length.h"
#include "term/atom.h"

using namespace wb;

static Compact compact(std::vector<uint8_t> bytes, bool expect = true) {
  ByteReader in(bytes);
  Compact c{};
  CHECK(read_compact(in, &c) == expect);
  if (expect) CHECK(in.at_end());
  return c;
}

TEST_CASE("compact terms: every width") {
  CHECK(compact({0x00}).value == 0);
  CHECK(compact({0xf0}).value == 15);
  CHECK(compact({0x08, 0x10}).value == 16);
  CHECK(compact({0xe8, 0xff}).value == 2047);
  CHECK(compact({0x18, 0x08, 0x00}).value == 2048);
  CHECK(compact({0x38, 0x00, 0xff, 0xff}).value == 65535);
  CHECK(compact({0x6b, 0xff}).value == 1023);
  CHECK(compact({0x3d, 0x01, 0x11, 0x70}).value == 70000);
  auto value = [](std::vector<uint8_t> bytes) {
    return static_cast<int64_t>(compact(bytes).value);
  };
  CHECK(value({0x19, 0xff, 0xff}) == -1);
  CHECK(value({0x39, 0xff, 0x7f, 0xff}) == -32769);
  CHECK(value({0x79, 0x17, 0x48, 0x76, 0xe8, 0x00}) == 100000000000);
  CHECK(compact({0xf9, 0x00, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0}).big);
  CHECK(compact({0xf9, 0x00, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}).big);
  CHECK(compact({0xf8, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0}).big);
  CHECK(compact({0xf8, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0}).value == UINT64_MAX);
  CHECK(!compact({0xf9, 0x00, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0}).big);
}

TEST_CASE("compact terms: refused") {
  compact({}, false);
  compact({0x08}, false);
  compact({0x18, 0xff, 0xff}, false);                       // negative where unsigned
  compact({0xfd, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0}, false);  // a label above 64 bits
  compact({0x1f}, false);
  compact(std::vector<uint8_t>(100000, 0xf9), false);  // nested lengths
  compact({0xf9, 0xe8, 0xff}, false);
}

TEST_CASE("text_length") {
  auto length = [](std::string_view s) {
    return text_length({reinterpret_cast<const uint8_t*>(s.data()), s.size()});
  };
  CHECK(length("abc") == 3);
  CHECK(length("\xce\xb1\xe2\x82\xac\xf0\x9f\x98\x80") == 3);
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xce",
                          "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xff"})
    CHECK(length(bad) == -1);
}

TEST_CASE("every installed module parses and decodes") {
  for (const std::string& path : installed_beams()) {
    auto file = read_beam_file(path);
    INFO(path << (file ? "" : file.error().message()));
    CHECK(file.ok());
    if (!file) continue;
    auto unit = decode(*file);
    INFO((unit ? "" : unit.error().message()));
    CHECK(unit.ok());
  }
}

TEST_CASE("lists: what a CodeUnit says") {
  auto paths = installed_beams();
  auto lists = std::ranges::find_if(paths, [](auto& p) { return p.ends_with("/lists.beam"); });
  if (lists == paths.end()) return;
  auto file = read_beam_file(*lists);
  auto unit = decode(*file);
  CHECK(atom_text(file->module()) == "lists");
  CHECK(file->line_files[0] == "lists.erl");
  bool seen = false;
  for (const BeamExport& e : file->exports) {
    if (atom_text(e.function) != "reverse" || e.arity != 2) continue;
    seen = true;
    const CodeFunction* f = unit->function_of_label(e.label);
    CHECK(f);
    CHECK(f->arity == 2);
    CHECK(&unit->function_at(f->func_info) == f);
    CHECK(unit->instructions[f->func_info].op == Op::func_info);
  }
  CHECK(seen);
}

TEST_CASE("damaged modules give an error that says where, or decode") {
  auto paths = installed_beams();
  SeededRandom random{20240229};
  size_t refused = 0;
  for (size_t n = 0; n < 1500 && !paths.empty(); n++) {
    auto bytes = file_bytes(paths[random.below(paths.size())]);
    if (bytes.size() > 30000) continue;
    damage(&bytes, &random);
    auto file = parse_beam(std::move(bytes), "damaged");
    if (!file) {
      CHECK(file.error().message().starts_with("damaged: "));
      refused++;
      continue;
    }
    auto unit = decode(*file);
    if (!unit) refused++;
  }
  CHECK((paths.empty() || refused > 100));
}

TEST_CASE("not modules at all") {
  CHECK(parse_beam({}, "x").error().rule == Rule::not_beam);
  CHECK(parse_beam({'F', 'O', 'R', '1', 0xff, 0xff, 0xff, 0xff, 'B', 'E', 'A', 'M'}, "x")
            .error()
            .rule == Rule::truncated);
  CHECK(parse_beam({'F', 'O', 'R', '1', 0, 0, 0, 4, 'B', 'E', 'A', 'M'}, "x").error().rule ==
        Rule::missing_chunk);
  CHECK(parse_beam({0x1f, 0x8b, 8, 0, 0, 0}, "x").error().rule == Rule::bad_gzip);
  CHECK(read_beam_file("/does/not/exist").error().rule == Rule::unreadable);
}
