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

// Texts of some chunks, needles that nearly match: rare and frequent last bytes, at every offset.
TEST_CASE("one needle in a long text", "[byte_search]") {
  UnlimitedBudget budget;
  std::mt19937 rng(9);
  for (int round = 0; round < 400; ++round) {
    const unsigned letters = round % 3 == 0 ? 2 : round % 3 == 1 ? 4 : 200;
    std::string text(rng() % (round % 10 == 0 ? 150'000 : 500), 'a');
    for (auto& c : text) c = static_cast<char>('a' + rng() % letters);
    std::string needle(1 + rng() % 40, 'a');
    for (auto& c : needle) c = static_cast<char>('a' + rng() % letters);
    if (round % 2 && text.size() > needle.size()) {
      text.replace(rng() % (text.size() - needle.size()), needle.size(), needle);
      if (round % 4 == 1) needle.back() = '!';
    }
    const size_t from = rng() % (text.size() / 4 + 1),
                 end = text.size() - rng() % (text.size() / 4 + 1);
    const size_t at = std::string_view(text).substr(0, end).find(needle, from);
    ByteMatch got{};
    const bool found =
        find_needle(needle, reinterpret_cast<const uint8_t*>(text.data()), from, end, &got, budget);
    CHECK(found == (at != std::string::npos));
    if (found) CHECK(got.at == at);
    if (found) CHECK(got.length == needle.size());
  }
}

TEST_CASE("a needle that nearly matches everywhere takes no square of time", "[byte_search]") {
  UnlimitedBudget budget;
  const std::string text(4'000'000, 'a');
  const std::string needle = std::string(9'999, 'a') + "b" + std::string(10'000, 'a');
  ByteMatch m{};
  CHECK(!find_needle(needle, reinterpret_cast<const uint8_t*>(text.data()), 0, text.size(), &m,
                     budget));
}
