#include "vm/ets/rw_lock.h"

#include <chrono>

namespace wb {

static uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

void RwLock::note_wait(uint64_t began_ns) {
  waits_.fetch_add(1, std::memory_order_relaxed);
  waited_ns_.fetch_add(now_ns() - began_ns, std::memory_order_relaxed);
}

void RwLock::enter(uint32_t as) {
  for (unsigned spins = 0;; ++spins) {
    uint32_t s = state_.load(std::memory_order_relaxed);
    if (s & kWriter) {
      wait(s, spins);
    } else if (state_.compare_exchange_weak(s, s + as, std::memory_order_acquire)) {
      return;
    }
  }
}

void RwLock::wait_to_share() {
  const uint64_t began = now_ns();
  enter(1);
  note_wait(began);
}

void RwLock::wait_to_be_alone() {
  const uint64_t began = now_ns();
  enter(kWriter);
  for (unsigned spins = 0;; ++spins) {
    uint32_t s = state_.load(std::memory_order_acquire);
    if (s == kWriter) break;
    wait(s, spins);
  }
  note_wait(began);
}

}  // namespace wb
