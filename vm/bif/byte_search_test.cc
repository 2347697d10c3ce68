#include "vm/bif/byte_search.h"

#include <catch2/catch.hpp>
#include <random>

using namespace wb;

namespace {
// What is asked for, said in the simplest way: leftmost, then longest.
bool naive(const std::vector<std::string>& needles, const std::string& text, size_t from,
           size_t end, ByteMatch* m) {
  for (size_t at = from; at < end; ++at) {
    size_t best = 0;
    for (const auto& n : needles) {
      if (n.size() > best && at + n.size() <= end && text.compare(at, n.size(), n) == 0) {
        best = n.size();
      }
    }
    if (best) {
      *m = {at, best};
      return true;
    }
  }
  return false;
}
}  // namespace

TEST_CASE("search finds what the definition says", "[byte_search]") {
  UnlimitedBudget budget;
  std::mt19937 rng(7);
  for (int round = 0; round < 20000; ++round) {
    unsigned letters = 1 + rng() % 3;
    auto random = [&](size_t n) {
      std::string s(n, 'a');
      for (auto& c : s) c = static_cast<char>('a' + rng() % letters);
      return s;
    };
    std::vector<std::string> needles;
    for (unsigned n = 1 + rng() % 5; n; --n) needles.push_back(random(1 + rng() % 5));
    std::string text = random(rng() % 30);
    size_t from = rng() % (text.size() + 1), end = from + rng() % (text.size() - from + 1);
    auto search = ByteSearch::make(needles);
    ByteMatch want{}, got{};
    bool found = naive(needles, text, from, end, &want);
    bool same = search->find(reinterpret_cast<const uint8_t*>(text.data()), from, end, &got,
                             budget) == found;
    if (!same || (found && (want.at != got.at || want.length != got.length))) {
      INFO(text << " from " << from << " to " << end);
      CHECK(false);
    }
  }
}

TEST_CASE("needles of all bytes", "[byte_search]") {
  UnlimitedBudget budget;
  std::vector<std::string> needles;
  for (int b = 0; b < 256; ++b) needles.push_back(std::string(2, static_cast<char>(b)));
  auto search = ByteSearch::make(needles);
  const uint8_t text[] = {1, 0, 2, 255, 255, 3};
  ByteMatch m{};
  CHECK(search->find(text, 0, 6, &m, budget));
  CHECK(m.at == 3);
  CHECK(!search->find(text, 4, 6, &m, budget));
}
