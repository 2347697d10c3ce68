// One actor sends in turn to 120 others, which each count.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

constexpr int kCounters = 120;
constexpr long kPer = 600'000 / kCounters;

behavior counter(caf::stateful_actor<long>* self, const actor& main) {
  self->state = kPer;
  return {[=](long) {
    if (--self->state > 0) return;
    self->send(main, done_atom::value);
    self->quit();
  }};
}

behavior start(event_based_actor* self, const actor& result) {
  std::vector<actor> counters;
  for (int i = 0; i < kCounters; ++i) counters.push_back(self->spawn(counter, actor(self)));
  for (long n = kPer; n > 0; --n) {
    for (const actor& c : counters) self->send(c, n);
  }
  return {[=, left = kCounters](done_atom) mutable {
    if (--left > 0) return;
    self->send(result, long{kCounters});
    self->quit();
  }};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/message", 600'000}); }
