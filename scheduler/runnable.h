// What the scheduler schedules. It knows nothing of terms or processes.
//
// The fields belong to whoever may touch the runnable at the moment: the queue it stands in, the
// worker that runs it, or, while it is parked, the one thread whose wake-up won (the host decides
// that race with its own state word). So none of them is atomic, but for `pending_boost`.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/watched.h"

namespace wb {

struct Runnable {
  static constexpr uint8_t kLow = 0, kNormal = 1, kHigh = 2, kMax = 3;

  Runnable* queue_next = nullptr;      ///< owned by the queue it stands in
  Watched<uint8_t> priority{kNormal};  ///< 0 low, 1 normal, 2 high, 3 max
  uint8_t passed_over = 0;             ///< low priority: times skipped
  uint8_t pinned = 0;                  ///< 1: never stolen, runs on `home` only
  uint8_t boost = 0;  ///< a higher priority, until it runs: one of that priority waits for it
  /// A boost that came when it may have been in no queue, or on its way between two: counts from
  /// the next queue on, until it runs.
  std::atomic<uint8_t> pending_boost{0};
  uint8_t special = 0;  ///< the host's: what is unusual about its next slice, 0: nothing
  uint16_t home = 0;    ///< index of the worker it last ran on

  uint8_t effective_priority() const { return boost > priority ? boost : priority.get(); }
};
static_assert(sizeof(Runnable) <= 24, "part of every process' control block");

}  // namespace wb
