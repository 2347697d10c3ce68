// Dirty jobs of a recorded run, and of its replay.
//
// In a recorded run they are done by the pools, as in any other, so a job that waits for somebody
// keeps nobody waiting. What they ask the system is kept with each job, and its end is reported by
// the worker, between slices, at a moment that is kept (base/recording.h). In the replay a job is
// done by the worker at that moment: whatever it waited for then has happened by now. So a job
// whose effects others see (Touches::shared) is done by the worker at that moment when it is
// recorded, too.
//
// Only the worker submits, withdraws and delivers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/recording.h"
#include "scheduler/dirty_pool.h"
#include "scheduler/spin_lock.h"

namespace wb {

class Scheduler;

class RecordedJobs {
 public:
  RecordedJobs(Scheduler& scheduler, Recording& recording)
      : scheduler_(scheduler), recording_(recording) {}
  RecordedJobs(const RecordedJobs&) = delete;

  void submit(DirtyKind kind, DirtyJob& job);
  /// False: it has begun.
  bool withdraw(DirtyKind kind, DirtyJob& job);
  /// Reports one that is done. False: there is none.
  bool deliver();
  /// Waits for a job that nobody wants any more, and reports it, if that has not been done.
  void await(DirtyJob& job);

 private:
  struct Entry : DirtyJob {
    RecordedJobs* jobs;
    DirtyJob* job;
    Step report;
    uint64_t number;
    Recording::Answers answers;

    /// Not for the pool: done where its end is recorded.
    bool is_deferred() const { return job->touches == Touches::shared; }
  };
  using Entries = std::map<uint64_t, std::unique_ptr<Entry>>;  ///< by number, in their order
  static void work(DirtyJob& entry);
  static void worked(DirtyJob& entry);
  Entries::iterator find(const DirtyJob& job);
  bool withdraw_live(DirtyKind kind, Entry& e);
  void done(const Entry& e);
  void end_live(Entry& e);
  void report(Entries::iterator at);
  bool take_done(const Entry& e);

  Scheduler& scheduler_;
  Recording& recording_;
  uint64_t next_ = 0;
  Entries entries_;
  SpinLock lock_;
  std::vector<uint64_t> done_;  ///< or deferred; under lock_
};

}  // namespace wb
