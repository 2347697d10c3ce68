// A list of 600,000 pairs, each part allocated and freed by itself.
#include "tests/bench/native/bench.h"

namespace {

struct Inner {
  long n;
  Inner* next;
};
struct Pair {
  long n;
  Inner* list;
};
struct Outer {
  Pair* pair;
  Outer* next;
};

long grow_and_sum() {
  Outer* all = nullptr;
  for (long n = 600'000; n > 0; --n) all = new Outer{new Pair{n, new Inner{n, nullptr}}, all};
  long sum = 0;
  for (const Outer* o = all; o; o = o->next) sum += o->pair->list->n;
  while (all) {
    Outer* next = all->next;
    delete all->pair->list;
    delete all->pair;
    delete all;
    all = next;
  }
  return sum;
}

std::string run() { return bench::list(std::vector<long>{grow_and_sum(), grow_and_sum()}); }

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
