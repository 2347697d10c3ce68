// 240 actors, each asks random others and waits for the answer, 800 times.
#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

constexpr long kActors = 240;
using all_atom = caf::atom_constant<caf::atom("all")>;
using ping_atom = caf::atom_constant<caf::atom("ping")>;
using pong_atom = caf::atom_constant<caf::atom("pong")>;

struct State {
  std::vector<actor> all;
  long left = 800, x;
};

void ask(caf::stateful_actor<State>* self, const actor& main) {
  State& s = self->state;
  if (s.left-- == 0) return self->send(main, done_atom::value);
  self->send(s.all[static_cast<size_t>(s.x >> 8) % s.all.size()], ping_atom::value);
  s.x = bench::next_random(s.x);
}

behavior asker(caf::stateful_actor<State>* self, long n, const actor& main) {
  self->state.x = n * 7919;
  return {[=](all_atom, const std::vector<actor>& all) {
            self->state.all = all;
            ask(self, main);
          },
          [](ping_atom) { return pong_atom::value; }, [=](pong_atom) { ask(self, main); }};
}

behavior start(event_based_actor* self, const actor& result) {
  std::vector<actor> all;
  for (long n = 1; n <= kActors; ++n) all.push_back(self->spawn(asker, n, actor(self)));
  for (const actor& a : all) self->send(a, all_atom::value, all);
  return {[=, left = kActors](done_atom) mutable {
    if (--left > 0) return;
    for (const actor& a : all) self->send_exit(a, caf::exit_reason::user_shutdown);
    self->send(result, kActors);
    self->quit();
  }};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/trip", 192'000}); }
