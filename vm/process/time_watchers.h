// Who monitors the offset between monotonic and system time (monitor(time_offset, clock_service)),
// and what a change says: the message {'CHANGE', Ref, time_offset, clock_service, Offset} for each
// such monitor, which stays.
//
// A monitor is its process' own (relations.h); here it is only known that a process has had one.
// So a change visits these processes, and each sends itself what its monitors want. Without a warp
// (+C) nothing ever changes, and nobody is noted.
#pragma once

#include <mutex>
#include <unordered_set>

#include "base/ranked_lock.h"
#include "scheduler/timer_wheel.h"
#include "term/address.h"

namespace wb {

class Vm;

class TimeWatchers {
 public:
  /// Under multiple warps the system's time is looked at every ten seconds from here on.
  void begin(Vm& vm);
  void add(Vm& vm, Address process);
  void offset_changed(Vm& vm);

 private:
  struct Look : Timer {
    Vm* vm = nullptr;
  };
  static void look(Worker& w, Timer& timer);
  mutable RankedLock<LockRank::time_watchers> lock_;
  std::unordered_set<Address> processes_;
  Look look_;
  bool looks_ = false;  ///< its timer runs
};

Term time_offset_state(const Vm& vm);  ///< final, preliminary, volatile
Term time_warp_mode(const Vm& vm);

}  // namespace wb
