// To which logical processors the schedulers' threads are bound (+sbt, +sct,
// system_flag(scheduler_bind_type, _)). The first scheduler takes the first one of the bind type's
// order that this process may use, the second the next; those for which none is left are not bound.
// Threads made by a scheduler are not bound with it (scheduler/thread.h).
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <vector>

#include "vm/core/cpu_topology.h"

namespace wb {

class CpuBinding {
 public:
  static constexpr int32_t kUnbound = -1;

  /// What somebody has said of it, and what was found: empty if nothing.
  CpuTopology defined();
  CpuTopology detected();
  CpuTopology used();
  /// Nothing is to be found out.
  void set_detected_unknown();
  /// Settled; empty: what was found counts again.
  void define(CpuTopology t);

  BindType type();
  /// False: nothing is known of the processors.
  bool bind(BindType type);
  std::vector<int32_t> bindings(uint32_t schedulers);
  /// On its thread.
  void scheduler_started(uint32_t index);

 private:
  const CpuTopology& detect();
  const CpuTopology& current();
  void rebind();

  std::mutex lock_;
  std::optional<CpuTopology> detected_;
  CpuTopology defined_;
  BindType type_ = BindType::unbound;
  std::vector<int32_t> order_;  ///< of those that may be used
  std::vector<pid_t> threads_;  ///< by scheduler
  bool ever_bound_ = false;
};

}  // namespace wb
