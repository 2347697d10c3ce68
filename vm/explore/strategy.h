// Who runs next, where there is a choice.
//
// Random walk: any of those who can, with a chance of its own in each run to stay with the one that
// runs, so that some runs switch at each step and some hardly ever. Probabilistic concurrency
// testing (Burckhardt and others, 2010): each process has a random priority, the highest runs, and
// at D - 1 random steps the one that runs falls below all others; a bug that takes D constraints of
// order shows with a probability of at least 1 / (n k^(D-1)) for n processes and k steps. Who polls
// falls below, too: whoever it waits for must get a turn.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vm/explore/party.h"
#include "vm/explore/schedule.h"
#include "vm/io/outside.h"

namespace wb {

struct Choice {
  std::span<Party* const> candidates;  ///< at least two; the clock is the last, if it may move
  size_t usual = 0;                    ///< what happens if nobody minds
  const Party* last = nullptr;         ///< who ran; null: nobody
  Spot spot;                           ///< only where spots() are wanted
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual bool spots() const { return false; }
  virtual size_t choose(const Choice& choice) = 0;
  /// What goes wrong with this operation of the outside.
  virtual std::optional<Fault> fault(const Spot& at, std::span<const Fault> possible) = 0;
};

enum class StrategyKind : uint8_t { mixed, random, pct };

/// `steps`: how many choices a run has, about.
std::unique_ptr<Strategy> make_strategy(StrategyKind kind, uint64_t seed, uint32_t depth,
                                        uint64_t steps);
/// The usual run, but for these.
std::unique_ptr<Strategy> follow(const Switches& switches);

}  // namespace wb
