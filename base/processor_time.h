#pragma once

#include <cstdint>
#include <ctime>

namespace wb {

/// What this thread has used, in nanoseconds.
inline uint64_t processor_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace wb
