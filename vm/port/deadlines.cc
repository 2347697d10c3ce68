#include "vm/port/deadlines.h"

#include "vm/core/vm.h"
#include "vm/port/ports.h"

namespace wb {

uint64_t Deadlines::in_ms(uint32_t ms) const {
  if (ms == ~0u) return kNever;
  return port_.vm().scheduler->now_ns() + uint64_t{ms} * 1'000'000;
}

void Deadlines::add(uint64_t deadline_ns) {
  if (deadline_ns == kNever) return;
  Alarm* idle = nullptr;
  for (auto& a : alarms_) {
    if (!a->running)
      idle = a.get();
    else if (a->deadline_ns <= deadline_ns)
      return;
  }
  if (!idle) {
    idle = alarms_.emplace_back(std::make_unique<Alarm>()).get();
    idle->deadlines = this;
  }
  idle->running = true;
  port_.vm().scheduler->start_timer(*idle, deadline_ns, rings);
}

void Deadlines::rings(Worker&, Timer& timer) {
  auto& alarm = static_cast<Alarm&>(timer);
  Deadlines& d = *alarm.deadlines;
  Port::Guard guard(d.port_, PortTask::timeout);
  alarm.running = false;
  if (!d.port_.is_gone()) d.ring_(d.context_, d.port_.vm().scheduler->now_ns());
}

void Deadlines::cancel() {
  for (auto& a : alarms_) port_.vm().scheduler->cancel_timer(*a);
}

}  // namespace wb
