// Who keeps whom suspended: what has come into effect of erlang:suspend_process/2.
//
// The suspender counts what it has asked for (RareParts::suspending); each process tells here
// what it has handled, so that process_info(suspending) knows which requests are still on their
// way. A lock for all: suspending is for debugging.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "base/ranked_lock.h"
#include "term/address.h"

namespace wb {

class Suspensions {
 public:
  /// `process` has handled a request of `by`, one to go on. Nobody: a port's, which does not count.
  void suspended(Address process, Address by);
  void resumed(Address process, Address by);
  /// `process` has ended.
  void ended(Address process);
  bool in_effect(Address process, Address by) const;

 private:
  mutable RankedLock<LockRank::suspensions> lock_;
  std::map<std::pair<Address, Address>, uint32_t> counts_;  ///< by process and suspender; never 0
};

}  // namespace wb
