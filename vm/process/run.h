// Running processes: spawn, one slice, and what happens between slices.
#pragma once

#include <memory>

#include "scheduler/scheduler.h"
#include "vm/process/event_log.h"
#include "vm/process/process.h"
#include "vm/process/slice_marks.h"

namespace wb {

/// Somebody who has to do with a child before it begins.
class SpawnWitness {
 public:
  virtual void added(Process& child) = 0;   ///< it has its pid; nothing is traced yet
  virtual void traced(Process& child) = 0;  ///< it begins next

 protected:
  ~SpawnWitness() = default;
};

struct SpawnOptions {
  uint32_t min_heap_size = 0;  ///< words; 0: not given, the first heap is the control block's rest
  uint32_t min_bin_vheap_size = 46422;
  uint32_t fullsweep_after = 65535;
  uint32_t max_heap_size = 0;
  bool max_heap_kill = true, max_heap_log = true;
  Priority priority = Priority::normal;
  bool off_heap_messages = false;
  bool link = false;
  uint64_t monitor = 0;  ///< reference number under which the parent watches the child; 0: not
  bool system = false;
  bool asleep = false;     ///< begins when the first signal comes
  uint32_t scheduler = 0;  ///< bound to this one, counted from 1; 0: to none
  SpawnWitness* witness = nullptr;
};

/// A new process that calls module:function(args...). `args` is a proper list, copied. `parent` may
/// be null (the first process). Returns its pid, or kSystemLimit.
Term spawn_process(Vm& vm, Process* parent, Term module, Term function, Term args,
                   const SpawnOptions& options = {});

/// A message that receive looks at becomes part of the heap: registers may point into it.
void adopt_peeked(Process& p);

/// The scheduler's host: one Exec a worker.
class ProcessHost final : public Host {
 public:
  explicit ProcessHost(Vm& vm) : vm_(vm) {}
  After run_slice(Worker& w, Runnable& r) override;
  void migrated(Worker& w, Runnable& r) override;
  void became_runnable(Worker& w, Runnable& r) override;
  void falls_asleep(Worker& w) override;
  void noted(Worker& w, EventKind kind, uint64_t argument) override;
  void worker_started(Worker& w) override;
  void worker_stopping(Worker& w) override;

  SliceMarks marks;  ///< who ran since the observer's last look
  /// Who wants to be notified of slices (Vm::hooks).
  enum Watcher : uint32_t { kSampler = 1, kMarks = 2, kMonitor = 4, kProfile = 8, kLog = 16 };
  void watch(Watcher who, bool on) {
    on ? watchers_.fetch_or(who) : watchers_.fetch_and(~uint32_t{who});
  }
  /// A slice of `c`, or a part of one, is over: its registers are saved, if it goes on.
  void slice_over(Exec& c) {
    constexpr uint32_t ends = kSampler | kMonitor | kProfile;
    if (WB_UNLIKELY(watchers_.load(std::memory_order_relaxed) & ends)) report_slice(c);
  }

 private:
  After run_yielded(Worker& w, Process& p);
  void begin_watched(Worker& w, Process& p);
  After end_unusual(Process& p);
  void report_slice(Exec& c);
  std::atomic<uint32_t> watchers_{0};  ///< asked once a slice
  Vm& vm_;
};

}  // namespace wb
