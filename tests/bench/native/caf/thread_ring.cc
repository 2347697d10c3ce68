// One token round a ring of actors, as many as the name says.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

int ring_size = 0;

behavior member(event_based_actor* self, const actor& next, const actor& result) {
  return {[=](long n) {
            if (n > 0)
              self->send(next, n - 1);
            else
              self->send(result, 0L), self->send(next, done_atom::value), self->quit();
          },
          [=](done_atom) {
            self->send(next, done_atom::value);
            self->quit();
          }};
}

// The main actor is a member, too.
behavior start(event_based_actor* self, const actor& result) {
  actor next(self);
  for (int i = 1; i < ring_size; ++i) next = self->spawn(member, next, result);
  self->send(self, 500'000L);
  return member(self, next, result);
}

}  // namespace

int main(int, char** argv) {
  ring_size = bench::number_in_name(argv);
  return actors::main(argv, start, {"ns/pass", 500'000}, done);
}
