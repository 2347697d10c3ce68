#include "scheduler/oracle.h"

#include <sys/random.h>
#include <time.h>

#include "base/base.h"
#include "base/processor_time.h"
#include "base/recording.h"
#include "scheduler/guide.h"

namespace wb {
namespace {

// Sebastiano Vigna's SplitMix64: one word of state, passes the usual test batteries.
uint64_t split_mix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t scale(uint64_t bits, uint32_t n) { return uint32_t((bits >> 32) * n >> 32); }

class LiveOracle final : public Oracle {
 public:
  LiveOracle() : Oracle(false) {}
  uint64_t now_ns() override { return read_clock(CLOCK_MONOTONIC); }
  uint64_t system_ns() override { return read_clock(CLOCK_REALTIME); }
  uint64_t random() override {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != ssize_t(sizeof bits)) {
      bits = read_clock(CLOCK_MONOTONIC) ^ read_clock(CLOCK_REALTIME) << 20;
      bits = split_mix(bits);
    }
    return bits;
  }
  // Whom to rob first needs to differ, not to be unpredictable: a state per thread, no sharing.
  uint32_t choose(uint32_t n) override {
    static thread_local uint64_t state = reinterpret_cast<uintptr_t>(&state);
    return scale(split_mix(state), n);
  }
};

class SeededOracle final : public Oracle {
 public:
  explicit SeededOracle(uint64_t seed) : Oracle(true), state_(seed) {}
  uint64_t now_ns() override { return now_.load(std::memory_order_relaxed); }
  uint64_t system_ns() override { return kBirth + now_ns(); }
  uint64_t random() override { return split_mix(state_); }
  uint32_t choose(uint32_t n) override { return scale(random(), n); }

  void worked(int64_t reductions) override { advance(uint64_t(reductions) * kReductionNs); }
  void idle_until(uint64_t deadline_ns) override {
    if (deadline_ns > now_ns()) advance(deadline_ns - now_ns());
  }

 private:
  // Half the slices are usual; of the others some end anywhere, some almost at once: preemption
  // right after a send or a receive is where races hide.
  int32_t choose_slice(int32_t usual) override {
    if (Guide* guide = chooser()) return guide->slice_reductions(usual);
    uint32_t shape = choose(4);
    if (shape < 2) return usual;
    return 1 + int32_t(choose(uint32_t(shape == 2 || usual < 32 ? usual : 32)));
  }

  static constexpr uint64_t kReductionNs = 25;
  static constexpr uint64_t kBirth = 1'600'000'000'000'000'000;  // September 2020

  void advance(uint64_t ns) { now_.store(now_ns() + ns, std::memory_order_relaxed); }

  std::atomic<uint64_t> now_{1'000'000'000};
  uint64_t state_;
};

class RecordedOracle final : public Oracle {
 public:
  explicit RecordedOracle(Recording& recording) : Oracle(true, &recording), log_(recording) {
    log_.read_clock();
    LiveOracle live;
    state_ = log_.number(Input::seed, live.random());
  }
  uint64_t now_ns() override { return log_.last_time(); }
  uint64_t read_ns() override { return log_.read_clock(); }
  uint64_t system_ns() override {
    return log_.number(Input::wall_clock, read_clock(CLOCK_REALTIME));
  }
  uint64_t random() override { return split_mix(state_); }
  uint32_t choose(uint32_t n) override { return scale(random(), n); }

  void tick() override {
    log_.time(kGrainNs);
    log_.handle_signals();
  }
  void woke() override { log_.time(0); }
  void worked(int64_t) override { log_.slice_ended(); }

 private:
  static constexpr uint64_t kGrainNs = 50'000;  // timers are no more exact while somebody runs

  Recording& log_;
  uint64_t state_ = 0;
};

}  // namespace

void Oracle::follow(Guide* guide) {
  guide_ = guide;
  chooser_ = guide && guide->chooses() ? guide : nullptr;
}

std::unique_ptr<Oracle> Oracle::live() { return std::make_unique<LiveOracle>(); }
std::unique_ptr<Oracle> Oracle::seeded(uint64_t seed) {
  return std::make_unique<SeededOracle>(seed);
}
std::unique_ptr<Oracle> Oracle::recorded(Recording& recording) {
  return std::make_unique<RecordedOracle>(recording);
}

}  // namespace wb
