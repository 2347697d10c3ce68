// Float arithmetic in a tight loop.
#include "tests/bench/native/bench.h"

namespace {

constexpr int kSize = 200;

int point(double cr, double ci) {
  double zr = 0, zi = 0;
  for (int n = 50; n > 0; --n) {
    double zr2 = zr * zr, zi2 = zi * zi;
    if (zr2 + zi2 > 4.0) return 0;
    zi = 2.0 * zr * zi + ci;
    zr = zr2 - zi2 + cr;
  }
  return 1;
}

std::string run() {
  long inside = 0;
  int size = bench::opaque(kSize);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) inside += point(2.0 * x / size - 1.5, 2.0 * y / size - 1.0);
  }
  return bench::text(inside);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
