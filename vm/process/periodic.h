// {periodic, Ms}: a process begins to work at most once in so many milliseconds.
//
// Whoever works on many small messages (writes a log, draws, adds up) does so for less when they
// come together. Between two moments of its clock the process is held: its messages cost their
// senders what pushing onto a list costs, and nobody wakes up for them. At the next moment it works
// on all of them, slice by slice as any other, until it waits again.
//
// What else is sent to it waits as well: exit signals, process_info. So periods are bounded.
//
// The clock begins with the process, and a moment that nothing came for is not made up for.
#pragma once

#include "scheduler/timer_wheel.h"
#include "vm/process/policy.h"

namespace wb {

class Periodic final : public Policy {
 public:
  Periodic(Process& p, uint32_t period_ms);
  Turn before_slice(Exec& c, AfterSlice& end, bool may_wait) override;

 private:
  struct Clock : Timer {
    Process* process = nullptr;
  };
  static void fire(Worker& w, Timer& timer);

  const uint64_t period_ns_, began_ns_;
  uint64_t next_ns_;  ///< not before
  Clock clock_;
};

}  // namespace wb
