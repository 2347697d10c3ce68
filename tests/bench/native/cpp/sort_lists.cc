// The merge sort of the library, by value, by key, without duplicates and by a function.
#include <algorithm>

#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/phash2.h"

namespace {

std::string run() {
  std::vector<long> numbers;
  for (long i = 0, x = 42; i < 60'000; ++i, x = bench::next_random(x)) numbers.push_back(x);
  std::reverse(numbers.begin(), numbers.end());
  std::vector<long> sorted = numbers, unique, falling = numbers;
  std::vector<std::pair<long, long>> pairs;
  for (long x : numbers) pairs.emplace_back(x, x % 1000), unique.push_back(x % 5000);
  std::stable_sort(sorted.begin(), sorted.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  std::stable_sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  std::stable_sort(falling.begin(), falling.end(), std::greater<long>());
  Phash2 hash;
  hash.tuple(4);
  hash.list(sorted);
  for (auto [x, key] : pairs) hash.tuple(2), hash.number(x), hash.number(key);
  hash.nil();
  hash.list(unique);
  hash.list(falling);
  return bench::text(long{hash.value() & 0x7ffffff});
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
