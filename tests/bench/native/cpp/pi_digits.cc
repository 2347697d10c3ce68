// Digits of pi by a spigot, with GMP.
#include <gmpxx.h>

#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/phash2.h"

namespace {

std::string run() {
  mpz_class q = 1, r = 0, t = 1, k = 1;
  std::vector<long> digits;
  while (digits.size() < 900) {
    mpz_class y = (3 * q + r) / t;
    if ((4 * q + r) / t == y) {
      digits.push_back(y.get_si());
      r = 10 * (r - y * t);
      q *= 10;
    } else {
      r = (2 * q + r) * (2 * k + 1);
      q *= k;
      t *= 2 * k + 1;
      ++k;
    }
  }
  Phash2 hash;
  hash.list(digits);
  return bench::text(long{hash.value() & 0x7ffffff});
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
