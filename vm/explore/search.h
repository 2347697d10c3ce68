// All runs of a program that differ, up to a bound on the number of their switches.
//
// It begins with the usual run. Each run shows which of its operations race (races.h), and each
// race turned round is another run: the switches up to there, and one more. The runs with fewest
// switches come first, so the first run that ends in a class is one with as few as can be. A run
// whose dependent operations come in the order of one before it is not looked at further.
//
// The bound can hide a run that is the same as another to everybody in it and needs fewer switches
// that way; without one (nothing was refused) the search has seen all.
#pragma once

#include "vm/explore/campaign.h"

namespace wb {

struct SearchState : CampaignState {
  bool complete = false;   ///< the queue is empty
  uint64_t refused = 0;    ///< runs that would have needed more switches
  uint64_t different = 0;  ///< orders of dependent operations
};

/// By this process alone. `most`: switches of a run.
SearchState run_search(Runner& runner, const CampaignPlan& plan, size_t most,
                       const std::function<void(const CampaignState&)>& progress);

/// Of one class: a run with fewer switches than `few`, if one is soon found; else `few`.
Switches fewer(Runner& runner, const Switches& few, const Finding& ending,
               std::chrono::milliseconds time);

}  // namespace wb
