// statistics(microstate_accounting): what each scheduler's thread spends its time on.
//
// Collections and sleep are measured always; workers say what they do between slices, and ports
// what they do, while it is switched on (scheduler/metrics.h). What is left is `emulator`, so that
// no slice pays for it. All these only grow: what is reported is the difference to when it was
// switched on.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "base/ranked_lock.h"
#include "term/term.h"

namespace wb {

class Vm;

class Microstates {
 public:
  enum State : uint8_t { aux, check_io, emulator, gc, other, port, sleep, count };
  struct Row {
    Term type;  ///< scheduler, dirty_cpu_scheduler, dirty_io_scheduler
    int64_t id;
    std::array<int64_t, count> ns{};
  };

  /// What it was.
  bool set(Vm& vm, bool on);
  bool reset(Vm& vm);
  std::vector<Row> rows(Vm& vm);

 private:
  static std::vector<Row> totals(Vm& vm);
  void collect(Vm& vm);

  RankedLock<LockRank::microstates> lock_;
  bool on_ = false;
  std::vector<Row> since_, kept_;  ///< totals when it began; what earlier times came to
};

}  // namespace wb
