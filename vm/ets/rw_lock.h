// A reader-writer lock of one word for critical sections of microseconds.
//
// Readers count up in the low bits; a writer sets the top bit, which keeps new readers out, and
// waits for those inside to leave. Who only looks for some nanoseconds and finds nobody inside does
// that, too: it comes and goes with one atomic operation instead of two. Waiting spins briefly,
// then sleeps on the word (futex), so that a holder that lost its core does not cost the waiter a
// core too. Who has to wait counts that, for the observer: who need not pays nothing for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/spin_lock.h"

namespace wb {

class RwLock {
 public:
  void lock_shared() {
    uint32_t s = state_.load(std::memory_order_relaxed);
    while (WB_LIKELY(!(s & kWriter))) {
      if (state_.compare_exchange_weak(s, s + 1, std::memory_order_acquire)) return;
    }
    wait_to_share();
  }
  void unlock_shared() {
    uint32_t before = state_.fetch_sub(1, std::memory_order_release);
    if (before == (kWriter | 1)) state_.notify_all();
  }
  /// To look at little. True: nobody else is inside.
  bool lock_briefly() {
    uint32_t s = 0;
    if (WB_LIKELY(state_.compare_exchange_strong(s, kWriter, std::memory_order_acquire))) {
      return true;
    }
    lock_shared();
    return false;
  }
  void unlock_briefly(bool alone) { alone ? unlock() : unlock_shared(); }
  /// Who is alone lets other readers in.
  void share() {
    state_.store(1, std::memory_order_release);
    state_.notify_all();
  }
  void lock() {
    uint32_t s = 0;
    if (WB_UNLIKELY(!state_.compare_exchange_strong(s, kWriter, std::memory_order_acquire))) {
      wait_to_be_alone();
    }
  }
  void unlock() {
    state_.store(0, std::memory_order_release);
    state_.notify_all();
  }

  /// What waiting has cost so far.
  struct Waits {
    uint64_t count = 0, ns = 0;
  };
  Waits waits() const {
    return {waits_.load(std::memory_order_relaxed), waited_ns_.load(std::memory_order_relaxed)};
  }

 private:
  static constexpr uint32_t kWriter = 0x80000000;
  WB_COLD void wait_to_share();
  WB_COLD void wait_to_be_alone();
  /// As a reader (1) or as the one that wants to be alone (kWriter), once there is no such one.
  void enter(uint32_t as);
  void note_wait(uint64_t began_ns);
  void wait(uint32_t seen, unsigned spins) {
    if (spins < 64)
      cpu_relax();
    else
      state_.wait(seen, std::memory_order_relaxed);
  }
  std::atomic<uint32_t> state_{0}, waits_{0};
  std::atomic<uint64_t> waited_ns_{0};
};

}  // namespace wb
