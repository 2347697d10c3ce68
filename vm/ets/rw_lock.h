// A reader-writer lock of one word for critical sections of microseconds.
//
// Readers count up in the low bits; a writer sets the top bit, which keeps new readers out, and
// waits for those inside to leave. Who only looks for some nanoseconds and finds nobody inside does
// that, too: it comes and goes with one atomic operation instead of two. Waiting spins briefly,
// then sleeps on the word (futex), so that a holder that lost its core does not cost the waiter a
// core too.
#pragma once

#include <atomic>

#include "scheduler/spin_lock.h"

namespace wb {

class RwLock {
 public:
  void lock_shared() {
    for (unsigned spins = 0;; ++spins) {
      uint32_t s = state_.load(std::memory_order_relaxed);
      if (!(s & kWriter)) {
        if (state_.compare_exchange_weak(s, s + 1, std::memory_order_acquire)) return;
      } else {
        wait(s, spins);
      }
    }
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
    for (unsigned spins = 0;; ++spins) {
      uint32_t s = state_.load(std::memory_order_relaxed);
      if (!(s & kWriter)) {
        if (state_.compare_exchange_weak(s, s | kWriter, std::memory_order_acquire)) break;
      } else {
        wait(s, spins);
      }
    }
    for (unsigned spins = 0;; ++spins) {
      uint32_t s = state_.load(std::memory_order_acquire);
      if (s == kWriter) return;
      wait(s, spins);
    }
  }
  void unlock() {
    state_.store(0, std::memory_order_release);
    state_.notify_all();
  }

 private:
  static constexpr uint32_t kWriter = 0x80000000;
  void wait(uint32_t seen, unsigned spins) {
    if (spins < 64)
      cpu_relax();
    else
      state_.wait(seen, std::memory_order_relaxed);
  }
  std::atomic<uint32_t> state_{0};
};

}  // namespace wb
