// Many runs of one program, by several processes at once, and the classes in which they end.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vm/explore/runner.h"

namespace wb {

struct EndingClass {
  Finding ending;
  uint64_t count = 0, first_seed = 0;
  std::optional<Switches> switches;  ///< of the first run, if it was no seed's
};

struct CampaignState;
struct CampaignPlan {
  uint64_t first_seed = 1;
  uint64_t runs = 0;                  ///< 0: as many as there is time for
  std::chrono::milliseconds time{0};  ///< 0: as long as it takes
  unsigned jobs = 1;
  /// Has enough been seen?
  std::function<bool(const CampaignState&)> is_enough;
};

struct CampaignState {
  uint64_t runs = 0, choices = 0;
  std::chrono::duration<double> elapsed{0};
  std::vector<EndingClass> classes;  ///< the worst first
  uint64_t not_kept = 0;             ///< runs of classes for which there was no room
  bool interrupted = false;
};

/// Asks `progress` now and then. SIGINT ends it early.
CampaignState run_campaign(Runner& runner, const CampaignPlan& plan,
                           const std::function<void(const CampaignState&)>& progress);

}  // namespace wb
