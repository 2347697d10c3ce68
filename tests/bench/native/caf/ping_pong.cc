// Two actors, one message under way.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

behavior pong() {
  return {[](go_atom) { return done_atom::value; }};
}

behavior start(event_based_actor* self, const actor& result) {
  actor other = self->spawn(pong);
  self->send(other, go_atom::value);
  return {[=, left = 200'000](done_atom) mutable {
    if (--left > 0) {
      self->send(other, go_atom::value);
    } else {
      self->send_exit(other, caf::exit_reason::user_shutdown);
      self->send(result, 0L);
      self->quit();
    }
  }};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/trip", 200'000}, done); }
