// Processes that keep all schedulers but one from running processes: system_flag(multi_scheduling,
// block) and block_normal. Each counts how often it asked; its end undoes them all. Under `block`
// the one that is left also does what the dirty threads would (native_yield.cc); what they had
// begun they end.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/ranked_lock.h"
#include "term/heap.h"

namespace wb {

class Scheduler;

class MultiScheduling {
 public:
  enum Kind : uint8_t { all, normal };

  void block(Scheduler& s, Term pid, Kind kind);
  /// Takes back one block of `pid`, if there is any. Does it still block?
  bool unblock(Scheduler& s, Term pid, Kind kind);
  void ended(Scheduler& s, Term pid);

  /// Is one scheduler to do everything, dirty work too?
  bool alone() const { return alone_.load(std::memory_order_relaxed); }

  /// enabled, blocked, blocked_normal; disabled where there is but one scheduler.
  Term state(const Scheduler& s) const;
  Term blockers(Heap& h, Kind kind) const;  ///< who began last comes first

  /// How many schedulers are to run when nobody blocks.
  uint32_t online(const Scheduler& s) const;
  uint32_t set_online(Scheduler& s, uint32_t workers);

 private:
  struct Blocker {
    Term pid;
    uint32_t count[2];
  };
  void apply_blocks(Scheduler& s);

  mutable RankedLock<LockRank::multi_scheduling> lock_;
  std::vector<Blocker> blockers_;
  uint32_t wanted_ = 0;  ///< while somebody blocks
  std::atomic<bool> alone_{false};
};

}  // namespace wb
