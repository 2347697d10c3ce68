// Fork and join: an actor down to a depth, then plain recursion.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

// The right branch is an actor, too: an event-based one cannot wait in the middle.
behavior forked(caf::stateful_actor<long>* self, const actor& parent, long n, long depth) {
  if (depth == 0) {
    self->send(parent, fib(n));
    return {};
  }
  self->state = -1;
  self->spawn(forked, actor(self), n - 1, depth - 1);
  self->spawn(forked, actor(self), n - 2, depth - 1);
  return {[=](long part) {
    if (self->state < 0) {
      self->state = part;
    } else {
      self->send(parent, self->state + part);
      self->quit();
    }
  }};
}

behavior start(event_based_actor* self, const actor& result) {
  self->spawn(forked, result, 30L, 10L);
  return {};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ms", 1e6}); }
