// 60 actors get 10,000 messages each, in turn, and do a little work at each.
#include <cmath>

#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

constexpr int kMessages = 10'000, kWorkers = 60;

struct Work {
  int left = kMessages;
  double sum = 0;
};

behavior worker(caf::stateful_actor<Work>* self, const actor& main) {
  return {[=](go_atom) {
    volatile double angle = 37.2;  // or the sine is a constant
    self->state.sum += std::sin(angle) * std::sin(angle);
    if (--self->state.left > 0) return;
    self->send(main, done_atom::value);
    self->quit();
  }};
}

behavior start(event_based_actor* self, const actor& result) {
  std::vector<actor> workers;
  for (int i = 0; i < kWorkers; ++i) workers.push_back(self->spawn(worker, actor(self)));
  for (int i = 0; i < kMessages; ++i) {
    for (const actor& w : workers) self->send(w, go_atom::value);
  }
  return {[=, left = kWorkers](done_atom) mutable {
    if (--left > 0) return;
    self->send(result, long{kWorkers});
    self->quit();
  }};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/message", 600'000}); }
