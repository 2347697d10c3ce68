// Running processes: one slice, and what happens between slices.
#pragma once

#include <atomic>
#include <optional>

#include "scheduler/scheduler.h"
#include "vm/process/after_slice.h"
#include "vm/process/event_log.h"
#include "vm/process/exec.h"
#include "vm/process/policy.h"
#include "vm/process/process.h"
#include "vm/process/slice_marks.h"
#include "vm/process/standstill.h"

namespace wb {

class Vm;
struct MachinePolicies;

/// What a worker's context is: the Exec, and what does not concern who executes.
struct WorkerContext : Exec {
  AfterSlice after_slice;
};

/// The scheduler's host: one WorkerContext a worker.
class ProcessHost final : public Host {
 public:
  explicit ProcessHost(Vm& vm);
  ~ProcessHost();
  After run_slice(Worker& w, Runnable& r) override;
  void migrated(Worker& w, Runnable& r) override;
  void became_runnable(Worker& w, Runnable& r) override;
  void falls_asleep(Worker& w) override;
  void has_been_idle(Worker& w) override;
  void noted(Worker& w, EventKind kind, uint64_t argument) override;
  void worker_started(Worker& w) override;
  void worker_stopping(Worker& w) override;

  SliceMarks marks;  ///< who ran since the observer's last looks
  /// Who wants to be notified of slices (Vm::hooks).
  enum Watcher : uint32_t {
    kSampler = 1,
    kMarks = 2,
    kMonitor = 4,
    kProfile = 8,
    kLog = 16,
    kStandstill = 32,
    kDebugger = 64
  };
  void watch(Watcher who, bool on) {
    on ? watchers_.fetch_or(who) : watchers_.fetch_and(~uint32_t{who});
  }
  /// Slices mark who runs, for this reader, or no longer. False: they cannot.
  bool mark_slices(SliceMarks::Reader reader, bool wanted);
  /// No worker begins a slice until end_standstill.
  void begin_standstill() {
    standstill.begin();
    watch(kStandstill, true);
  }
  void end_standstill() {
    watch(kStandstill, false);
    standstill.end();
  }
  Standstill standstill;
  /// A slice of `c`, or a part of one, is over: its registers are saved, if it goes on.
  void slice_over(Exec& c) {
    constexpr uint32_t ends = kSampler | kMonitor | kProfile;
    if (WB_UNLIKELY(watchers_.load(std::memory_order_relaxed) & ends)) report_slice(c);
  }
  static AfterSlice& after_slice(Exec& c) { return static_cast<WorkerContext&>(c).after_slice; }
  /// That of the worker that this thread is, if it is one of this machine's; or null.
  AfterSlice* after_slice();

 private:
  After run_process(Worker& w, Process& p);
  After run_yielded(Worker& w, Process& p);
  void begin_watched(Worker& w, Process& p);
  std::optional<After> begin_unusual(Worker& w, Process& p);
  After end_unusual(Process& p);
  void report_slice(Exec& c);
  std::atomic<uint32_t> watchers_{0};  ///< asked once a slice
  Vm& vm_;

 public:
  const std::unique_ptr<MachinePolicies> policies;
  void use_policy(PolicyChoice choice);  ///< of processes that choose none; before any runs
};

}  // namespace wb
