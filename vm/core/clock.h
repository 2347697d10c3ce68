// Erlang's clocks on top of the oracle's: monotonic time counts nanoseconds from a start far below
// zero (as OTP does, so that it stays a small integer for centuries), system time is monotonic time
// plus an offset taken once (no time warp).
#pragma once

#include "scheduler/oracle.h"

namespace wb {

class Clock {
 public:
  static constexpr int64_t kStart = -576'460'752'000'000'000;
  static constexpr int64_t kEnd = 8'646'911'283'000'000'000;

  explicit Clock(Oracle& oracle)
      : oracle_(oracle),
        birth_(static_cast<int64_t>(oracle.now_ns())),
        offset_(static_cast<int64_t>(oracle.system_ns()) - kStart) {}

  int64_t monotonic_ns() const { return from_oracle(oracle_.now_ns()); }
  int64_t system_ns() const { return monotonic_ns() + offset_; }
  int64_t offset_ns() const { return offset_; }
  /// The operating system's idea of the time, which may jump.
  int64_t os_system_ns() const { return static_cast<int64_t>(oracle_.system_ns()); }
  uint64_t os_monotonic_ns() const { return oracle_.now_ns(); }

  /// Between monotonic time and the oracle's (which timers use).
  int64_t from_oracle(uint64_t ns) const { return static_cast<int64_t>(ns) - birth_ + kStart; }
  uint64_t to_oracle(int64_t monotonic) const {
    int64_t t = monotonic - kStart + birth_;
    return t < 0 ? 0 : static_cast<uint64_t>(t);
  }

 private:
  Oracle& oracle_;
  const int64_t birth_, offset_;
};

}  // namespace wb
