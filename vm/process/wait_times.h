// How long processes stand in run queues, while an observer wants to know (Scheduler::measures).
//
// Some times that a process becomes runnable are measured (event_sampler.h): that leaves the moment
// in the process (waits_since), and the slice that begins with one there adds what has passed to
// the worker's histogram and to what the process knows of itself: the median and the 99th
// percentile, a byte each, on a scale of eight steps an octave. They are estimates that each
// measurement moves by a step: the median up or down, the other up, or down once in 128 ("frugal
// streaming"). More would need a histogram a process.
//
// While nobody looks nothing is paid for it: what is asked anyway, whether a slice is an unusual
// one (Runnable::special) and whether a worker takes what becomes runnable there
// (Scheduler::enqueue), says this as well.
#pragma once

#include <bit>
#include <cstdint>

namespace wb {

class Process;
class Worker;

/// The two codes of a process.
struct WaitEstimate {
  uint8_t p50 = 0, p99 = 0;
  void add(uint32_t waited, uint32_t measurement);  ///< `measurement` is its number, of any process
};

class WaitTimes {
 public:
  static constexpr uint32_t kShift = 5;  ///< waits_since counts 32 ticks, for a minute

  /// `p`, which is about to be enqueued, has become runnable upon `w`, and was chosen.
  static void begin(Worker& w, Process& p);
  /// It runs on `w`.
  static void end(Worker& w, Process& p);

  /// Ticks that a code stands for; 0: nothing was measured.
  static uint64_t ticks(uint8_t code) {
    if (code < 8) return uint64_t{code} << kShift;
    uint32_t octave = code / 8u, part = code % 8u;
    return ((uint64_t{8} + part) << (octave - 1)) << kShift;
  }
  /// The scale: 0 to 7 as they are, then eight steps an octave; at least 1.
  static uint8_t encode(uint32_t waited) {
    if (waited < 8) return static_cast<uint8_t>(waited ? waited : 1);
    uint32_t octave = static_cast<uint32_t>(std::bit_width(waited)) - 3;
    return static_cast<uint8_t>(octave * 8 + (waited >> (octave - 1)) % 8);
  }

 private:
  static uint32_t stamp(uint64_t ticks) { return static_cast<uint32_t>(ticks >> kShift); }
};

inline void WaitEstimate::add(uint32_t waited, uint32_t measurement) {
  uint8_t code = WaitTimes::encode(waited);
  if (!p50) {
    p50 = p99 = code;
    return;
  }
  if (code != p50) p50 = static_cast<uint8_t>(code > p50 ? p50 + 1 : p50 - 1);
  if (code > p99) {
    ++p99;
  } else if (code < p99 && measurement % 128 == 0) {
    --p99;
  }
}

}  // namespace wb
