// Fibonacci with an actor for each call.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

behavior fib(caf::stateful_actor<long>* self, const actor& parent, long n) {
  if (n < 2) {
    self->send(parent, n);
    return {};
  }
  self->state = -1;
  self->spawn(fib, actor(self), n - 1);
  self->spawn(fib, actor(self), n - 2);
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
  self->spawn(fib, result, 21L);
  return {};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/process", 35'421}); }
