// The validator against every installed module, honest and damaged.
#include <catch2/catch.hpp>

#include "bytecode/disasm.h"
#include "bytecode/test_corpus.h"
#include "bytecode/validate.h"

using namespace wb;

TEST_CASE("every installed module is valid, and almost nothing needs a check") {
  size_t instructions = 0, checked = 0;
  for (const std::string& path : installed_beams()) {
    auto file = read_beam_file(path);
    auto unit = decode(*file);
    auto error = validate(&*unit);
    INFO((error ? error->message() : ""));
    CHECK(!error);
    for (const Instruction& in : unit->instructions) checked += in.checked();
    instructions += unit->instructions.size();
  }
  CHECK(checked * 1000 <= instructions * 11);
}

/// Changes bytes of the Code chunk only: nearly all of the file stays plausible.
static void damage_code(std::vector<uint8_t>* bytes, SeededRandom* random) {
  auto u32 = [&](size_t at) {
    const uint8_t* p = bytes->data() + at;
    return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
  };
  for (size_t at = 12; at + 8 < bytes->size(); at += 8 + ((u32(at + 4) + size_t{3}) & ~size_t{3})) {
    if (memcmp(bytes->data() + at, "Code", 4) != 0) continue;
    uint32_t size = u32(at + 4);
    for (uint64_t n = 1 + random->below(3); n > 0; n--) {
      uint8_t& b = (*bytes)[at + 28 + random->below(size - 20)];
      b = static_cast<uint8_t>(b ^ (1u << random->below(8)));
    }
  }
}

TEST_CASE("damaged code is refused, or still valid") {
  auto paths = installed_beams();
  SeededRandom random{77};
  size_t refused = 0, accepted = 0;
  for (size_t n = 0; n < 2000 && !paths.empty(); n++) {
    auto bytes = file_bytes(paths[random.below(paths.size())]);
    if (bytes.size() > 20000) continue;
    damage_code(&bytes, &random);
    auto file = parse_beam(std::move(bytes), "damaged");
    if (!file) continue;
    auto unit = decode(*file);
    if (!unit) continue;
    auto error = validate(&*unit);
    (error ? refused : accepted)++;
    if (error) CHECK(error->message().starts_with("damaged: Code chunk, offset "));
  }
  CHECK((paths.empty() || refused > 0));
}
