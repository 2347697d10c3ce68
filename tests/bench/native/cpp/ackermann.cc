// Deep recursion.
#include "tests/bench/native/bench.h"

namespace {

long ack(long m, long n) {
  if (m == 0) return n + 1;
  return n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

std::string run() {
  std::vector<long> all;
  for (int i = 0; i < 3; ++i) all.push_back(ack(bench::opaque(3), 9));
  return bench::list(all);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
