// Numbers that nobody has had before: of references, of erlang:unique_integer/1.
//
// A counter that all workers raise is a line that they take from each other, once for each call of a
// gen_server. So each takes a block at a time (docs/scaling.md). Those of one worker ascend; between
// workers they say nothing about who was first, as on BEAM.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.h"

namespace wb {

/// What a worker has taken and not given out.
struct NumberBlock {
  uint64_t next = 0, end = 0;
};

class UniqueNumbers {
 public:
  explicit UniqueNumbers(uint64_t first) : next_(first) {}
  /// By a worker that has `own`.
  WB_INLINE uint64_t take(NumberBlock& own) {
    if (WB_UNLIKELY(own.next == own.end)) {
      own.next = next_.fetch_add(kBlock, std::memory_order_relaxed);
      own.end = own.next + kBlock;
    }
    return own.next++;
  }
  /// By any thread.
  uint64_t take() { return next_.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kBlock = 256;
  std::atomic<uint64_t> next_;
};

}  // namespace wb
