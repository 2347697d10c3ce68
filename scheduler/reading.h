// Structures that thread progress protects, read by any thread.
//
// A worker may: nothing is reclaimed before it has ended its slice. Every other thread, a worker of
// another machine among them, has to hold up reclamation for as long as it looks.
#pragma once

#include <optional>

#include "scheduler/scheduler.h"

namespace wb {

/// As long as it lives the calling thread may look. Short: see ReaderGuard.
class Reading {
 public:
  explicit Reading(Scheduler& scheduler) {
    if (!scheduler.own_worker()) guard_.emplace(scheduler.progress());
  }
  Reading(const Reading&) = delete;

 private:
  std::optional<ReaderGuard> guard_;
};

}  // namespace wb
