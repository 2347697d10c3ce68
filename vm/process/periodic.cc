#include "vm/process/periodic.h"

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"

namespace wb {

Periodic::Periodic(Process& p, uint32_t period_ms)
    : period_ns_(uint64_t{period_ms} * 1'000'000),
      began_ns_(p.vm().scheduler->now_ns()),
      next_ns_(began_ns_) {
  clock_.process = &p;
}

void Periodic::fire(Worker&, Timer& timer) {
  Process& p = *static_cast<Clock&>(timer).process;
  p.vm().scheduler->enqueue(p);
}

Turn Periodic::before_slice(Exec& c, AfterSlice&, bool may_wait) {
  Process& p = *c.p;
  // What is in the middle of its work goes on with it.
  if (!may_wait || p.waiting_for != WaitFor::message || p.in_native_yield()) return Turn::runs;
  Scheduler& s = *p.vm().scheduler;
  const uint64_t now = s.now_ns();
  if (now >= next_ns_) {
    next_ns_ = began_ns_ + ((now - began_ns_) / period_ns_ + 1) * period_ns_;
    return Turn::runs;
  }
  s.start_timer(clock_, next_ns_, fire);
  return Turn::held;
}

}  // namespace wb
