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

void RwLock::wait_to_share() {
  const uint64_t began = now_ns();
  for (unsigned spins = 0;; ++spins) {
    uint32_t s = state_.load(std::memory_order_relaxed);
    if (s & kWriter) {
      wait(s, spins);
    } else if (state_.compare_exchange_weak(s, s + 1, std::memory_order_acquire)) {
      break;
    }
  }
  note_wait(began);
}

void RwLock::wait_to_be_alone() {
  const uint64_t began = now_ns();
  for (unsigned spins = 0;; ++spins) {
    uint32_t s = state_.load(std::memory_order_relaxed);
    if (s & kWriter) {
      wait(s, spins);
    } else if (state_.compare_exchange_weak(s, s | kWriter, std::memory_order_acquire)) {
      break;
    }
  }
  for (unsigned spins = 0;; ++spins) {
    uint32_t s = state_.load(std::memory_order_acquire);
    if (s == kWriter) break;
    wait(s, spins);
  }
  note_wait(began);
}

}  // namespace wb
