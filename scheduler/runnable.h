// What the scheduler schedules. It knows nothing of terms or processes.
#pragma once

#include <atomic>
#include <cstdint>

namespace wb {

struct Runnable {
  Runnable* queue_next = nullptr;  ///< owned by the queue it stands in
  uint8_t priority = 1;            ///< 0 low, 1 normal, 2 high, 3 max
  uint8_t passed_over = 0;         ///< low priority: times skipped
  uint8_t home = 0;                ///< index of the worker it last ran on
  uint8_t pinned = 0;              ///< 1: never stolen
};

}  // namespace wb
