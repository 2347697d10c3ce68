// The chunk of native records: what the compiler makes, and what a file that lies says instead.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bytecode/beam_file.h"
#include "bytecode/test_corpus.h"
#include "term/atom.h"

using namespace wb;

namespace {

using Data = std::vector<uint8_t>;

Data module_bytes() { return file_bytes(WB_SOURCE_DIR "/tests/data/otp29/record_code.beam"); }
size_t records_at(const Data& bytes) {
  for (size_t i = 0; i + 4 < bytes.size(); ++i) {
    if (memcmp(&bytes[i], "Recs", 4) == 0) return i + 8;
  }
  FAIL("no Recs chunk");
  return 0;
}

/// What is said to a module with a changed chunk; "": it is fine.
std::string said(const std::function<void(uint8_t* chunk)>& change) {
  Data bytes = module_bytes();
  change(&bytes[records_at(bytes)]);
  auto file = parse_beam(std::move(bytes), "m");
  return file ? "" : file.error().message();
}

}  // namespace

TEST_CASE("records: definitions of a module") {
  auto file = parse_beam(module_bytes(), "m");
  REQUIRE(file);
  const auto& records = file.value().records;
  REQUIRE(records.size() == 3);
  CHECK(records[0].name == intern("point"));
  CHECK(records[0].is_exported);
  REQUIRE(records[0].fields.size() == 2);
  CHECK(records[0].fields[0].name == intern("x"));
  CHECK(records[0].fields[0].of == BeamRecord::Field::immediate);
  CHECK(records[0].fields[0].value == make_small(0));
  CHECK(records[0].fields[1].of == BeamRecord::Field::literal);
  CHECK(records[1].fields.size() == 9);
  CHECK(records[1].fields[8].of == BeamRecord::Field::none);
  CHECK(!records[2].is_exported);
  CHECK(records[2].fields.empty());
}

TEST_CASE("records: a chunk that lies is refused") {
  CHECK(said([](uint8_t*) {}) == "");
  auto refused = [](size_t at, uint8_t value) {
    return said([&](uint8_t* c) { c[at] = value; }).find("Recs") != std::string::npos;
  };
  CHECK(refused(0, 1));    // version
  CHECK(refused(4, 255));  // records
  CHECK(refused(7, 2));
  CHECK(refused(7, 4));
  CHECK(refused(8, 255));  // fields of all
  CHECK(refused(11, 10));
  CHECK(refused(12, 6));     // no call_last
  CHECK(refused(13, 0x11));  // a number for a name
}

TEST_CASE("records: whatever stands in the chunk, names are distinct and literals are there") {
  const Data bytes = module_bytes();
  const size_t first = records_at(bytes), end = first + bytes[first - 1];
  size_t taken = 0;
  for (size_t at = first; at < end; ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      Data changed = bytes;
      changed[at] = static_cast<uint8_t>(value);
      auto file = parse_beam(std::move(changed), "m");
      if (!file) continue;
      ++taken;
      const auto& records = file.value().records;
      for (size_t i = 0; i < records.size(); ++i) {
        for (size_t j = 0; j < i; ++j) CHECK(records[i].name != records[j].name);
        for (const BeamRecord::Field& f : records[i].fields) {
          if (f.of == BeamRecord::Field::literal) CHECK(f.value < file.value().literals.size());
        }
      }
    }
  }
  CHECK(taken > end - first);
}
