#include "vm/explore/strategy.h"

#include <algorithm>
#include <map>

namespace wb {
namespace {

/// SplitMix64, as the oracle's: the seed of a run says all of it.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed * 0xd1342543de82ef95u + 0x632be59bd9b4e019u) {}
  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return (bits() >> 32) * n >> 32; }

 private:
  uint64_t state_;
};

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(uint64_t seed)
      : random_(seed), dice_(seed), stays_(kStays[random_.below(4)]) {}

  size_t choose(const Choice& c) override {
    const bool goes_on = c.candidates[c.usual] == c.last;
    if (goes_on && random_.below(8) < stays_) return c.usual;
    size_t n = c.candidates.size();
    // Whoever waits for a time-out seldom wants to see it come first.
    if (c.candidates.back()->is_clock() && n > 1 && random_.below(4)) --n;
    return random_.below(n);
  }
  std::optional<Fault> fault(const Spot&, std::span<const Fault> possible) override {
    return dice_.roll(possible);
  }

 private:
  static constexpr uint64_t kStays[] = {0, 4, 6, 7};  // eighths
  Generator random_;
  FaultDice dice_;
  const uint64_t stays_;
};

class Pct final : public Strategy {
 public:
  Pct(uint64_t seed, uint32_t depth, uint64_t steps) : random_(seed), dice_(seed) {
    const uint64_t changes = random_.below(depth);
    for (uint64_t k = 0; k < changes; ++k)
      changes_.push_back(random_.below(std::max<uint64_t>(steps, 1)));
  }

  size_t choose(const Choice& c) override {
    for (Party* p : c.candidates) {
      if (!p->priority) p->priority = high();
      if (p->polls) p->priority = low();
    }
    if (std::ranges::count(changes_, step_++)) {
      for (Party* p : c.candidates)
        if (p == c.last) p->priority = low();
    }
    const auto best = std::ranges::max_element(c.candidates, {}, &Party::priority);
    // Else a clock that goes first would run through all timers there are.
    if ((*best)->is_clock()) (*best)->priority = random_.below(2) ? high() : low();
    return static_cast<size_t>(best - c.candidates.begin());
  }
  std::optional<Fault> fault(const Spot&, std::span<const Fault> possible) override {
    return dice_.roll(possible);
  }

 private:
  uint32_t high() { return kMiddle + 1 + static_cast<uint32_t>(random_.below(kMiddle)); }
  uint32_t low() { return --lowest_; }  ///< below all before

  static constexpr uint32_t kMiddle = 1u << 30;
  Generator random_;
  FaultDice dice_;
  uint32_t lowest_ = kMiddle;
  std::vector<uint64_t> changes_;
  uint64_t step_ = 0;
};

class Following final : public Strategy {
 public:
  explicit Following(const Switches& switches) {
    for (const Switch& s : switches) to_[s.at] = s.to;
  }
  bool spots() const override { return true; }
  size_t choose(const Choice& c) override {
    auto found = to_.find(c.spot);
    if (found == to_.end()) return c.usual;
    auto to = std::ranges::find(c.candidates, found->second, &Party::path);
    return to == c.candidates.end() ? c.usual : static_cast<size_t>(to - c.candidates.begin());
  }
  std::optional<Fault> fault(const Spot& at, std::span<const Fault> possible) override {
    auto found = to_.find(at);
    if (found == to_.end()) return std::nullopt;
    const std::optional<Fault> named = fault_named(found->second);
    return named && std::ranges::count(possible, *named) ? named : std::nullopt;
  }

 private:
  std::map<Spot, std::string> to_;
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, uint64_t seed, uint32_t depth,
                                        uint64_t steps) {
  if (kind == StrategyKind::mixed) kind = seed % 2 ? StrategyKind::random : StrategyKind::pct;
  if (kind == StrategyKind::random) return std::make_unique<RandomWalk>(seed);
  return std::make_unique<Pct>(seed, depth, steps);
}

std::unique_ptr<Strategy> follow(const Switches& switches) {
  return std::make_unique<Following>(switches);
}

}  // namespace wb
