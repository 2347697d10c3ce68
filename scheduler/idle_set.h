// Which workers sleep: a bit each. Whoever clears a worker's bit owes it the wake-up.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace wb {

class IdleSet {
 public:
  static constexpr uint32_t kMost = 2048;

  void add(uint32_t i) { word(i).fetch_or(bit(i), std::memory_order_seq_cst); }
  /// False: it was not there, somebody else has removed it.
  bool remove(uint32_t i) {
    if (!contains(i)) return false;
    return word(i).fetch_and(~bit(i), std::memory_order_seq_cst) & bit(i);
  }
  bool contains(uint32_t i) const {
    return words_[i / 64].load(std::memory_order_seq_cst) & bit(i);
  }
  /// Removes some worker below `count`; -1: none is there.
  int remove_any(uint32_t count) {
    for (uint32_t base = 0; base < count; base += 64) {
      while (uint64_t bits = below(base, count)) {
        uint32_t i = base + uint32_t(std::countr_zero(bits));
        if (remove(i)) return int(i);
      }
    }
    return -1;
  }
  bool any(uint32_t count) const {
    for (uint32_t base = 0; base < count; base += 64) {
      if (below(base, count)) return true;
    }
    return false;
  }

 private:
  uint64_t below(uint32_t base, uint32_t count) const {
    uint64_t bits = words_[base / 64].load(std::memory_order_seq_cst);
    return count - base >= 64 ? bits : bits & (bit(count) - 1);
  }
  static uint64_t bit(uint32_t i) { return uint64_t{1} << (i % 64); }
  std::atomic<uint64_t>& word(uint32_t i) { return words_[i / 64]; }

  std::atomic<uint64_t> words_[kMost / 64] = {};
};

}  // namespace wb
