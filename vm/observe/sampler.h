// Where reductions go: the stack of whatever runs, now and then, on each scheduler.
//
// A stack can be read where a slice ends. So each scheduler counts reductions down to the next
// sample, and the slice in which they run out is made to end there. The distance between samples is
// random, and about as many reductions as this scheduler spent lately in one interval of the clock.
// Each reduction is as likely to be hit as any other, in short slices and long ones, interpreted
// and native code, and in BIFs that yield. A sample counts for the reductions since the one before.
//
// Where time goes: the same samples, each counts for so many times what a reduction of its slice
// took: they are not all as long.
//
// When reductions become dear (a scan after a loop), the distance is too long for them: after some
// intervals without a sample one of the next reductions is chosen. It is not the very next: what
// runs when an interval ends is mostly something long, so what comes next would be mostly the
// other.
//
// Rejected: choosing slices by the clock, with a weight (which slice begins after an interval's end
// is not chance, and two schedulers that spend differently got equal shares).
//
// Where words are allocated: the stack of whoever needs a collection counts for the words that were
// allocated since the one before. A heap fills up wherever most is allocated, so it is found there.
//
// While nobody asks, a slice pays for one load, and so does a collection.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/base.h"
#include "scheduler/event_ring.h"
#include "term/fault.h"

namespace wb {

class Process;

class Sampler {
 public:
  /// `allocation` is Vm::samples_allocation.
  explicit Sampler(std::atomic<bool>& allocation) : allocation_(allocation) {}
  static constexpr size_t kMostStacks = 20000, kMostFrames = 100;
  static constexpr uint32_t kMostHz = 1000;

  /// One scheduler's, on its thread.
  struct alignas(64) Line {
    uint64_t interval = 0;  ///< between samples, in ticks
    uint64_t random = 1;
    uint64_t last = 0;   ///< sample, in ticks
    int64_t since = 0;   ///< reductions spent since then
    int64_t left = 1;    ///< reductions to the next
    uint64_t began = 0;  ///< the slice, in ticks
    int64_t length = 0;  ///< of it, in reductions

    /// How long the slice may be.
    int64_t begin(int64_t slice) {
      constexpr uint64_t kPatience = 4;
      began = read_ticks();
      if (began - last > kPatience * interval && left > slice) left = 1 + below(2 * slice);
      return length = slice < left ? slice : left;
    }
    /// The slice has `rest` of its reductions left. What it has used if it was hit, else 0.
    int64_t end(int64_t rest) {
      const int64_t used = std::exchange(length, 0) - rest;
      if (used <= 0) return 0;
      since += used, left -= used;
      return left <= 0 ? used : 0;
    }
    /// How long until the next, after what this interval was like.
    void restart(uint64_t now);
    int64_t below(int64_t n) {
      return n > 0 ? static_cast<int64_t>(draw() % static_cast<uint64_t>(n)) : 0;
    }
    uint64_t draw() {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      return random;
    }
  };

  /// Null while nobody samples.
  Line* line(uint32_t worker) const {
    Line* lines = lines_.load(std::memory_order_acquire);
    return WB_UNLIKELY(lines != nullptr) && worker < count_ ? lines + worker : nullptr;
  }
  /// What is sampled: of one process (kNone: all), the process as the outermost frame.
  struct Choice {
    Term pid = kNone;
    bool allocation = false;
    bool time = false;
    bool by_process = false;
    bool operator==(const Choice&) const = default;
  };

  /// The slice of `p` ends, which is at `pc`, or null: it has ended itself.
  void end(Line& line, Process& p, const Word* pc, int64_t reductions_left);

  bool allocation() const { return allocation_.load(std::memory_order_relaxed); }
  /// `p`, which is at `pc`, collects; it has allocated so many words.
  void collected(Process& p, const Word* pc, uint64_t words);

  // --- for the observer ---
  void start(uint32_t workers, uint32_t hz);
  void stop() {
    lines_.store(nullptr, std::memory_order_release);
    allocation_.store(false, std::memory_order_relaxed);
  }
  /// What was sampled for another choice is forgotten.
  void choose(const Choice& choice);
  /// All, and by what ran the function then: interpreter, baseline, LLVM (Baseline::Tier).
  struct Counts {
    uint64_t all = 0, by_tier[3] = {};
  };
  struct Stacks {
    std::vector<std::pair<std::string, uint64_t>> counts;  ///< the most frequent first
    uint64_t samples = 0, lost = 0;                        ///< what they count for
    uint64_t taken = 0;                                    ///< how many they are
  };
  Stacks take_stacks(size_t most, bool clear);
  /// Of a function: how many samples had a line of it on their stack, and how many the function.
  struct Lines {
    std::unordered_map<uint32_t, uint64_t> counts;
    Counts samples;
  };
  Lines lines(const std::string& function);
  /// Samples in which a function was on the stack, by function.
  std::unordered_map<std::string, Counts> functions();

 private:
  void capture(Process& p, const Word* pc, uint64_t count);
  struct Frame;
  void add_lines(const std::vector<Frame>& frames, uint64_t count);
  void forget() {
    stacks_.clear(), functions_.clear();
    samples_ = lost_ = taken_ = 0;
  }

  std::atomic<Line*> lines_{nullptr};
  std::unique_ptr<Line[]> storage_;  ///< stays: a slice may be in the middle of it
  uint32_t count_ = 0;
  uint64_t weight(const Line& line, uint64_t now, int64_t used) const;
  std::atomic<bool>& allocation_;
  std::atomic<bool> time_{false};
  std::mutex lock_;
  Choice choice_;                                     ///< under lock_
  std::unordered_map<std::string, uint64_t> stacks_;  ///< outermost;...;innermost
  std::unordered_map<std::string, Lines> functions_;  ///< what was on stacks
  uint64_t samples_ = 0, lost_ = 0, taken_ = 0;
};

}  // namespace wb
