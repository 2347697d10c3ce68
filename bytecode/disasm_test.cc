#include "bytecode/disasm.h"

#include <catch2/catch.hpp>

#include "bytecode/literal_text.h"
#include "bytecode/test_corpus.h"

using namespace wb;

TEST_CASE("disassembly of a known module") {
  auto paths = installed_beams();
  auto lists = std::ranges::find_if(paths, [](auto& p) { return p.ends_with("/lists.beam"); });
  if (lists == paths.end()) return;
  auto file = read_beam_file(*lists);
  auto unit = decode(*file);
  std::string all = disassemble(*unit);
  CHECK(all.starts_with("module lists  % md5 "));
  CHECK(all.find("\nfunction append/1\n") != std::string::npos);
  CHECK(all.find("  %% lists.erl:") != std::string::npos);
  DisasmOptions one;
  one.function = "nth/2";
  std::string nth = disassemble(*unit, one);
  CHECK(nth.starts_with("\nfunction nth/2\n"));
  CHECK(nth.find("func_info         lists, nth, 2") != std::string::npos);
  CHECK(nth.find("\nfunction", 1) == std::string::npos);
}

TEST_CASE("every operand of every installed module has a text") {
  auto paths = installed_beams();
  for (size_t i = 0; i < paths.size(); i += 10) {
    auto file = read_beam_file(paths[i]);
    auto unit = decode(*file);
    CHECK(disassemble(*unit).size() > unit->instructions.size() * 8);
  }
}

TEST_CASE("literals as text") {
  auto text = [](std::vector<uint8_t> bytes, size_t limit = 100) {
    return literal_text(bytes, limit);
  };
  CHECK(text({131, 104, 2, 119, 2, 'o', 'k', 97, 5}) == "{ok, 5}");
  CHECK(text({131, 108, 0, 0, 0, 2, 97, 1, 106, 106}) == "[1, []]");
  CHECK(text({131, 108, 0, 0, 0, 1, 97, 1, 97, 2}) == "[1 | 2]");
  CHECK(text({131, 107, 0, 3, 'a', '"', '\n'}) == "\"a\\\"\\n\"");
  CHECK(text({131, 116, 0, 0, 0, 1, 97, 1, 104, 0}) == "#{1 => {}}");
  CHECK(text({131, 113, 119, 1, 'm', 119, 1, 'f', 97, 2}) == "fun m:f/2");
  CHECK(text({131, 109, 0, 0, 0, 2, 0xff, 1}) == "<<255,1>>");
  CHECK(text({131, 77, 0, 0, 0, 2, 3, 1, 0xa0}) == "<<1,5:3>>");
  CHECK(text({131, 110, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}) == "-18446744073709551616");
  CHECK(text({131, 70, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0}) == "1.5");
  CHECK(text({131, 104, 3, 97, 1}).ends_with("..."));
  CHECK(text(std::vector<uint8_t>(100000, 113)).ends_with("..."));
  std::vector<uint8_t> deep(1, 131);
  for (int i = 0; i < 100000; i++) deep.insert(deep.end(), {104, 1});
  CHECK(text(deep, SIZE_MAX).size() > 100000);
}

TEST_CASE("big operands as text") {
  CHECK(big_text(std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 0, 0}) == "18446744073709551616");
  CHECK(big_text(std::vector<uint8_t>{0xff, 0, 0, 0, 0, 0, 0, 0, 0}) == "-18446744073709551616");
  CHECK(big_text(std::vector<uint8_t>{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) ==
        "-18446744073709551617");
}
