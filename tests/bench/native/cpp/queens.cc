// All solutions of the ten queens, as lists that share their tails.
#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/cells.h"

namespace {

bool safe(long q, List qs) {
  for (long d = 1; qs; qs = qs->tail, ++d) {
    if (q == qs->head || q == qs->head + d || q == qs->head - d) return false;
  }
  return true;
}

std::vector<List> queens(Cells& cells, int k, int n) {
  if (k == 0) return {nullptr};
  std::vector<List> boards;
  for (List qs : queens(cells, k - 1, n)) {
    for (int q = 1; q <= n; ++q) {
      if (safe(q, qs)) boards.push_back(cells.cons(q, qs));
    }
  }
  return boards;
}

std::string run() {
  Cells cells(100'000);
  return bench::text(static_cast<long>(queens(cells, bench::opaque(10), 10).size()));
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
