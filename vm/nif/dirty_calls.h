// Which native functions dirty threads run, for people: a dirty thread writes in words of its own
// when it begins and ends, which whoever looks reads. `pid` is written last and cleared first; what
// is read meanwhile may mix two calls.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "base/ranked_lock.h"
#include "vm/nif/loaded.h"

namespace wb {

class DirtyCalls {
 public:
  /// As long as it lives the thread runs that function.
  class Running {
   public:
    Running(DirtyCalls& calls, const DirtyWork& work) : slot_(calls.slot_of_thread()) {
      constexpr auto kRelaxed = std::memory_order_relaxed;
      slot_.module.store(work.module, kRelaxed);
      slot_.function.store(work.function, kRelaxed);
      slot_.arity.store(work.arity, kRelaxed);
      slot_.is_io.store(work.is_io, kRelaxed);
      slot_.since_ns.store(work.since_ns, kRelaxed);
      slot_.pid.store(work.pid, std::memory_order_release);
    }
    ~Running() { slot_.pid.store(kNone, std::memory_order_release); }
    Running(const Running&) = delete;

   private:
    friend DirtyCalls;
    struct Slot {
      std::atomic<Term> pid{kNone}, module{kNone}, function{kNone};
      std::atomic<uint32_t> arity{0};
      std::atomic<bool> is_io{false};
      std::atomic<uint64_t> since_ns{0};
    };
    Slot& slot_;
  };

  std::vector<DirtyWork> all() {
    std::vector<DirtyWork> found;
    std::lock_guard guard(lock_);
    for (Running::Slot& s : slots_) {
      const Term pid = s.pid.load(std::memory_order_acquire);
      if (!is_value(pid)) continue;
      found.push_back(
          {pid, s.module.load(std::memory_order_relaxed),
           s.function.load(std::memory_order_relaxed), s.arity.load(std::memory_order_relaxed),
           s.is_io.load(std::memory_order_relaxed), s.since_ns.load(std::memory_order_relaxed)});
    }
    return found;
  }

 private:
  /// A dirty thread works for one machine, which outlives it.
  Running::Slot& slot_of_thread() {
    static constinit thread_local Running::Slot* mine = nullptr;
    if (WB_LIKELY(mine)) return *mine;
    std::lock_guard guard(lock_);
    return *(mine = &slots_.emplace_back());
  }

  RankedLock<LockRank::dirty_calls> lock_;
  std::deque<Running::Slot> slots_;
};

}  // namespace wb
