// The objects of deleted tables. Whoever deletes a table, or ends and owns it, frees them and lets
// others run meanwhile (free_within): so deleting ten million objects stalls no scheduler, and
// nobody makes garbage faster than it is taken away. What remains when a process is killed in the
// middle of that is freed by a thread, which starts with the first large table and ends with
// DeferredFree. Nothing here can be observed by a program.
//
// Rejected: a thread that frees all large tables (one thread does not keep up with the tables of
// many schedulers, and takes a core from them).
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "base/work_budget.h"
#include "scheduler/thread.h"

namespace wb {

/// The objects of a table, taken out of it; the destructor frees them.
struct DetachedObjects {
  virtual ~DetachedObjects() = default;
  /// Frees them one by one, a step an object. False: `budget` stopped it, some are left.
  virtual bool free_within(WorkBudget& budget) = 0;
};

class DeferredFree {
 public:
  DeferredFree() = default;
  ~DeferredFree();
  DeferredFree(const DeferredFree&) = delete;

  /// `objects`: how many they are.
  void add(std::unique_ptr<DetachedObjects> detached, uint64_t objects);

 private:
  void work();
  static constexpr uint64_t kSmall = 20000;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<DetachedObjects>> waiting_;
  Thread thread_;
  bool closing_ = false;
};

}  // namespace wb
