// The textbook's quicksort that copies, over pseudo-random numbers.
#include <algorithm>

#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/phash2.h"

namespace {

std::vector<long> numbers(long x) {
  std::vector<long> all;
  for (int i = 0; i < 50'000; ++i, x = bench::next_random(x)) all.push_back(x);
  std::reverse(all.begin(), all.end());
  return all;
}

std::vector<long> sorted(const std::vector<long>& all) {
  if (all.empty()) return {};
  std::vector<long> less, others;
  for (size_t i = 1; i < all.size(); ++i) (all[i] < all[0] ? less : others).push_back(all[i]);
  std::vector<long> result = sorted(less), right = sorted(others);
  result.push_back(all[0]);
  result.insert(result.end(), right.begin(), right.end());
  return result;
}

std::string run() {
  Phash2 hash;
  for (long seed : {1, 2, 3, 4}) hash.list(sorted(numbers(seed)));
  hash.nil();
  return bench::text(long{hash.value() & 0x7ffffff});
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
