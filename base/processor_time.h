#pragma once

#include <cstdint>
#include <ctime>

namespace wb {

/// One of the system's clocks, in nanoseconds.
inline uint64_t read_clock(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}
/// What this thread has used, in nanoseconds.
inline uint64_t processor_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace wb
