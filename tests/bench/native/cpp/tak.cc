// Takeuchi's function.
#include "tests/bench/native/bench.h"

namespace {

long tak(long x, long y, long z) {
  return y >= x ? z : tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

std::string run() {
  std::vector<long> all;
  for (int i = 0; i < 60; ++i) all.push_back(tak(bench::opaque(18), 12, 6));
  return bench::list(all);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
