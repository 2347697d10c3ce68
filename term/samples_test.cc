// Every sample term of OTP 25: hashes and printed form.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "term/atom.h"
#include "term/external.h"
#include "term/hash.h"
#include "term/order.h"
#include "term/print.h"
#include "term/test_funs.h"
#include "term/test_heap.h"

using namespace wb;

namespace {

struct Sample {
  std::string expression, print_w;
  uint32_t phash2, phash2_1000;
  uint64_t phash;
  std::vector<uint8_t> bytes;
};

std::vector<uint8_t> from_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<Sample> samples() {
  std::ifstream in(WB_SOURCE_DIR "/tests/data/otp25_samples.tsv");
  std::vector<Sample> all;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> f;
    std::istringstream fields(line);
    for (std::string s; std::getline(fields, s, '\t');) f.push_back(s);
    if (f.size() < 11 || f[9].starts_with("LONG")) continue;
    all.push_back({f[1], f[2], static_cast<uint32_t>(std::stoul(f[4])),
                   static_cast<uint32_t>(std::stoul(f[5])), std::stoull(f[6]), from_hex(f[9])});
  }
  return all;
}

// erlang:display knows no reserved words and quotes '@'.
const std::set<std::string> kPrintedDifferently = {"'end'", "'a@b'"};

}  // namespace

TEST_CASE("phash2, phash and the printed form of every sample are OTP's") {
  TestFuns funs;
  TestHeap h;
  auto all = samples();
  CHECK(all.size() > 200);
  for (const Sample& s : all) {
    INFO(s.expression);
    Term t = decode_term(h, s.bytes.data(), s.bytes.size());
    REQUIRE(is_value(t));
    CHECK((phash2(t) & 0x7ffffff) == s.phash2);
    CHECK(phash2(t) % 1000 == s.phash2_1000);
    CHECK(uint64_t{1} + phash(t) == s.phash);
    bool comparable = s.print_w.find("md5(utf8)") == std::string::npos && !is_hashmap(t);
    if (!comparable || kPrintedDifferently.count(s.expression)) continue;
    std::string expected = s.print_w;
    for (size_t i; (i = expected.find(" => ")) != std::string::npos;) expected.replace(i, 4, "=>");
    CHECK(to_text(t) == expected);
  }
}

TEST_CASE("a sample read twice is equal to itself and to no other") {
  TestFuns funs;
  TestHeap h;
  std::vector<Term> once, twice;
  for (const Sample& s : samples()) {
    once.push_back(decode_term(h, s.bytes.data(), s.bytes.size()));
    twice.push_back(decode_term(h, s.bytes.data(), s.bytes.size()));
  }
  for (size_t i = 0; i < once.size(); ++i) {
    CHECK(equal_exact(once[i], twice[i]));
    CHECK(compare(once[i], twice[i]) == 0);
    CHECK(map_hash(once[i]) == map_hash(twice[i]));
    int wrong = 0;
    for (size_t j = 0; j < once.size(); ++j) {
      bool same = equal_exact(once[i], once[j]);
      wrong += same != (compare_keys(once[i], once[j]) == 0);
      wrong += same && map_hash(once[i]) != map_hash(once[j]);
      wrong += equal(once[i], once[j]) != (compare(once[i], once[j]) == 0);
      wrong += (compare(once[i], once[j]) < 0) != (compare(once[j], once[i]) > 0);
    }
    CHECK(wrong == 0);
  }
}
