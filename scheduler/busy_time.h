// How long something has been busy in all, told from any thread; written by one.
#pragma once

#include <atomic>
#include <cstdint>

namespace wb {

class BusyTime {
 public:
  void mark(bool busy, uint64_t now_ns) {
    uint64_t word = word_.load(std::memory_order_relaxed);
    if (busy == bool(word & 1)) return;
    word_.store((now_ns - word / 2) * 2 + busy, std::memory_order_relaxed);
  }
  uint64_t ns(uint64_t now_ns) const {
    uint64_t word = word_.load(std::memory_order_relaxed);
    return word & 1 ? now_ns - word / 2 : word / 2;
  }

 private:
  /// Busy: (now - time) * 2 + 1, else time * 2; one word, so never torn.
  std::atomic<uint64_t> word_{0};
};

}  // namespace wb
