// Calls.
#include "tests/bench/native/bench.h"

namespace {

long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

std::string run() { return bench::text(fib(bench::opaque(31))); }

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
