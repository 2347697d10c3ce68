// Factorials and their decimal digits, with GMP.
#include <gmpxx.h>

#include "tests/bench/native/bench.h"

namespace {

std::string run() {
  long sum = 0;
  for (int n = 600; n <= 1400; n += 10) {
    mpz_class product = 1;
    for (int i = n; i > 0; --i) product *= i;
    for (char digit : product.get_str()) sum += digit - '0';
  }
  return bench::text(sum);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
