// A lock for critical sections of a few nanoseconds: queue links, timer slots.
//
// It spins on a plain read and yields the processor when the holder seems to have been preempted;
// a mutex would cost a second locked instruction on every release.
#pragma once

#include <sched.h>

#include <atomic>

#include "base/base.h"

namespace wb {

WB_INLINE void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class SpinLock {
 public:
  void lock() {
    while (WB_UNLIKELY(held_.exchange(true, std::memory_order_acquire))) wait();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  WB_NOINLINE void wait() {
    for (unsigned spins = 0; held_.load(std::memory_order_relaxed); ++spins) {
      if (spins < 64) {
        cpu_relax();
      } else {
        sched_yield();
      }
    }
  }

  std::atomic<bool> held_{false};
};

}  // namespace wb
