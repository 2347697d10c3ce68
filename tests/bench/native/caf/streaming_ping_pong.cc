// The same with a window of 128 messages under way.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

constexpr int kWindow = 128;

behavior pong() {
  return {[](go_atom) { return done_atom::value; }};
}

behavior start(event_based_actor* self, const actor& result) {
  actor other = self->spawn(pong);
  for (int i = 0; i < kWindow; ++i) self->send(other, go_atom::value);
  return {[=, left = 500'000](done_atom) mutable {
    --left;
    if (left >= kWindow) self->send(other, go_atom::value);
    if (left == 0) {
      self->send_exit(other, caf::exit_reason::user_shutdown);
      self->send(result, 0L);
      self->quit();
    }
  }};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/trip", 500'000}, done); }
