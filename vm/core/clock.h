// Erlang's clocks on top of the oracle's: monotonic time counts nanoseconds from a start far below
// zero (as OTP does, so that it stays a small integer for centuries), system time is monotonic time
// plus an offset. That is taken once, or (`+C single_time_warp`) once more when a program says that
// the system's time is right now, or (`multi_time_warp`) whenever the system's time has jumped.
#pragma once

#include <atomic>
#include <cstdlib>

#include "scheduler/oracle.h"

namespace wb {

enum class TimeWarp : uint8_t { none, single, multi };

class Clock {
 public:
  static constexpr int64_t kStart = -576'460'752'000'000'000;
  static constexpr int64_t kEnd = 8'646'911'283'000'000'000;

  explicit Clock(Oracle& oracle)
      : oracle_(oracle),
        birth_(static_cast<int64_t>(oracle.now_ns())),
        offset_(static_cast<int64_t>(oracle.system_ns()) - kStart) {}

  int64_t monotonic_ns() const { return from_oracle(oracle_.read_ns()); }
  int64_t system_ns() const { return monotonic_ns() + offset_ns(); }
  int64_t offset_ns() const { return offset_.load(std::memory_order_relaxed); }

  TimeWarp warp() const { return warp_; }
  void set_warp(TimeWarp warp) { warp_ = warp; }  ///< before anything runs
  /// Under a single warp: may the offset still change?
  bool is_preliminary() const {
    return warp_ == TimeWarp::single && !finalized_.load(std::memory_order_relaxed);
  }
  /// True: it was preliminary, and has been taken once more.
  bool finalize() {
    if (warp_ != TimeWarp::single || finalized_.exchange(true)) return false;
    take_offset();
    return true;
  }
  /// Under multiple warps: takes the offset once more if the system's time has jumped.
  bool follow() {
    constexpr int64_t kJump = 10'000'000;
    if (warp_ != TimeWarp::multi || std::abs(os_system_ns() - system_ns()) < kJump) return false;
    take_offset();
    return true;
  }
  /// The operating system's idea of the time, which may jump.
  int64_t os_system_ns() const { return static_cast<int64_t>(oracle_.system_ns()); }
  uint64_t os_monotonic_ns() const { return oracle_.read_ns(); }

  /// Between monotonic time and the oracle's (which timers use).
  int64_t from_oracle(uint64_t ns) const { return static_cast<int64_t>(ns) - birth_ + kStart; }
  uint64_t to_oracle(int64_t monotonic) const {
    int64_t t = monotonic - kStart + birth_;
    return t < 0 ? 0 : static_cast<uint64_t>(t);
  }

 private:
  void take_offset() { offset_.store(os_system_ns() - monotonic_ns(), std::memory_order_relaxed); }
  Oracle& oracle_;
  const int64_t birth_;
  std::atomic<int64_t> offset_;
  TimeWarp warp_ = TimeWarp::none;
  std::atomic<bool> finalized_{false};
};

}  // namespace wb
