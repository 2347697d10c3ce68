// What erlang:system_profile/2 is for: a process is notified when others become runnable and when
// they stop being so (`active`, `inactive`), and the same of ports and of schedulers.
//
// What is wanted stands in Vm::profiled, which the places of these events look at: a load and a
// branch while nobody profiles. The rest is here, under one lock, the innermost but for the queues
// of the schedulers: ports notify under theirs.
//
// The lock makes the events of a process alternate. A thread that parks a process takes it,
// replaces the inbox word (signal.h), reports `inactive` if that succeeded, and releases it. A
// thread that wakes one has replaced the word before it takes the lock to report `active`: so it
// comes after the one that parked, and the process runs only after the report. A park that fails is
// no event.
//
// A process whose native work a dirty thread does counts as running, as on BEAM. One that ends is
// inactive before anybody else can know of its end. A port is active while somebody holds its lock
// to do something with it. A scheduler is inactive from where it finds nothing to do until it runs
// another process than the profiler: else each of these messages would wake who just fell asleep,
// and a machine would never be idle. (On BEAM it does not, while schedulers are profiled.)
//
// The profiler is never notified of itself; one that has ended is forgotten with the first message
// that does not reach it.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "vm/process/profiled.h"

namespace wb {

class SystemProfile {
 public:
  explicit SystemProfile(Vm& vm) : vm_(vm) {}
  SystemProfile(const SystemProfile&) = delete;

  /// From now on `who` is notified of `wanted`, with that time stamp (traced::timestamp or
  /// another).
  void set(Term who, uint32_t wanted, uint32_t stamp);

  /// As wb::park.
  bool park(Process& p);
  /// It was parked or is new, and will be enqueued; it has been called a port.
  void process_active(Process& p);
  /// It ends; it calls a port.
  void process_inactive(Process& p);
  /// Its lock is held.
  void port(Term id, bool active);
  /// Finds nothing to do.
  void falls_asleep(Worker& w);
  void runs(Worker& w, Process& p);

 private:
  bool wants(uint32_t what) const { return vm_.profiled.load(std::memory_order_relaxed) & what; }
  bool is_profiled_process(const Process& p) const;
  void notify_process_state(Process& p, bool active);
  void notify_scheduler_state(Worker& w, bool active);
  void send(Heap& h, std::initializer_list<Term> event);
  void set_profiler(Term who, uint32_t wanted);

  Vm& vm_;
  std::mutex lock_;
  std::atomic<Term> who_{kNone};  ///< written under the lock, as the rest
  uint32_t stamp_ = 0;
  std::vector<bool> asleep_;  ///< by worker: reported as inactive
};

}  // namespace wb
