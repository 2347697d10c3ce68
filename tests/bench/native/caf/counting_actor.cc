// One actor floods another, which adds up.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

behavior counter(caf::stateful_actor<long>* self, const actor& result) {
  self->state = 0;
  return {[=](long n) { self->state += n; },
          [=](done_atom) {
            self->send(result, self->state);
            self->quit();
          }};
}

behavior start(event_based_actor* self, const actor& result) {
  actor counting = self->spawn(counter, result);
  for (long n = 1'000'000; n > 0; --n) self->send(counting, n);
  self->send(counting, done_atom::value);
  return {};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/message", 1'000'000}); }
