// 20,000 actors made, each does one piece of work and ends.
#include <cmath>

#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

constexpr int kCount = 20'000;

behavior worker(event_based_actor* self) {
  return {[=](go_atom) {
    self->quit();
    return std::lround(100 * std::sin(37.2) * std::sin(37.2));
  }};
}

behavior start(event_based_actor* self, const actor& result) {
  for (int i = 0; i < kCount; ++i) self->send(self->spawn(worker), go_atom::value);
  return {[=, left = kCount, sum = 0L](long n) mutable {
    sum += n;
    if (--left > 0) return;
    self->send(result, sum);
    self->quit();
  }};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/process", 20'000}); }
