// Actors that end at once, waited for by monitor, one after the other and 1,000 at a time.
#include <memory>

#include "tests/bench/native/caf/actors.h"

namespace {

using namespace actors;

struct Plan {
  int one = 50'000, many = 100, running = 0;
};

void next(event_based_actor* self, Plan& plan, const actor& result) {
  if (plan.one > 0) {
    --plan.one;
    plan.running = 1;
  } else if (plan.many > 0) {
    --plan.many;
    plan.running = 1000;
  } else {
    self->send(result, 0L);
    self->quit();
  }
  for (int i = 0; i < plan.running; ++i) self->spawn<caf::monitored>([](event_based_actor*) {});
}

behavior start(event_based_actor* self, const actor& result) {
  auto plan = std::make_shared<Plan>();
  self->set_down_handler([=](caf::down_msg&) {
    if (--plan->running == 0) next(self, *plan, result);
  });
  next(self, *plan, result);
  return {[](done_atom) {}};
}

}  // namespace

int main(int, char** argv) { return actors::main(argv, start, {"ns/process", 150'000}, done); }
