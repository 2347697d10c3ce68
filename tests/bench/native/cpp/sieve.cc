// Primes by filtering arrays, and by striking multiples out of one.
#include "tests/bench/native/bench.h"

namespace {

long filtered(long max) {
  std::vector<long> left;
  for (long n = 2; n <= max; ++n) left.push_back(n);
  for (long primes = 0;; ++primes) {
    long p = left[0];
    if (p * p > max) return primes + static_cast<long>(left.size());
    std::vector<long> next;
    for (size_t i = 1; i < left.size(); ++i) {
      if (left[i] % p != 0) next.push_back(left[i]);
    }
    left = std::move(next);
  }
}

long struck(long max) {
  std::vector<long> left;
  for (long n = 3; n <= max; n += 2) left.push_back(n);
  for (long primes = 1;; ++primes) {
    long p = left[0];
    if (p * p > max) return primes + static_cast<long>(left.size());
    std::vector<long> next;
    long multiple = p * p;
    for (size_t i = 1; i < left.size(); ++i) {
      while (multiple < left[i]) multiple += 2 * p;
      if (left[i] != multiple) next.push_back(left[i]);
    }
    left = std::move(next);
  }
}

std::string run() {
  return bench::tuple(filtered(bench::opaque(12'000)), struck(bench::opaque(400'000)));
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
