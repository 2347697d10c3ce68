// Naive reverse: cells of a pool that each round empties.
#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/cells.h"

namespace {

List append(Cells& cells, List a, List b) {
  return a ? cells.cons(a->head, append(cells, a->tail, b)) : b;
}
List reverse(Cells& cells, List l) {
  return l ? append(cells, reverse(cells, l->tail), cells.cons(l->head, nullptr)) : nullptr;
}

std::string run() {
  Cells source(30), cells(1'000);
  List list = nullptr, reversed = nullptr;
  for (long i = 30; i > 0; --i) list = source.cons(i, list);
  for (int i = 0; i < 60'000; ++i) {
    cells.clear();
    reversed = reverse(cells, bench::opaque(list));
  }
  std::vector<long> all;
  for (; reversed; reversed = reversed->tail) all.push_back(reversed->head);
  return bench::list(all);
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
