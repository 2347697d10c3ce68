// The longest Collatz chain.
#include "tests/bench/native/bench.h"

namespace {

long steps(long n) {
  long s = 1;
  for (; n != 1; ++s) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return s;
}

std::string run() {
  long best = 0, start = 0;
  for (long n = bench::opaque(60'000); n > 0; --n) {
    if (long s = steps(n); s > best) best = s, start = n;
  }
  return bench::tuple(best, start);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
