// The few switches that matter.
//
// A run that ends badly has made many, most of them for nothing. Delta debugging (Zeller and
// Hildebrandt, 2002) leaves out halves, quarters and so on of them as long as the run ends in the
// same class, until none can be left out. A switch names its place by what a process has done, so
// those that stay mean the same without the others; where they do not, the run ends otherwise and
// the attempt is refused.
#pragma once

#include <chrono>

#include "vm/explore/runner.h"

namespace wb {

/// Do two endings belong to one class?
bool is_same_class(const Finding& a, const Finding& b);

/// What is left of `switches`, with which a run ends like `ending`. Stops when the time is up.
Switches shrink(Runner& runner, Switches switches, const Finding& ending,
                std::chrono::steady_clock::time_point until);

}  // namespace wb
