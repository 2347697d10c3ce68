#include "vm/trace/system_profile.h"

#include <algorithm>

#include "gc/fragment.h"
#include "scheduler/reading.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/time_stamp.h"
#include "vm/trace/calls.h"
#include "vm/trace/events.h"
#include "vm/trace/message.h"

namespace wb {

namespace {

constexpr size_t kRoom = 64;  // words of a message

/// Native work of it is done elsewhere.
bool works(const Process& p) { return p.waiting_for == WaitFor::work; }

Term word(bool active) { return active ? am::active : am::inactive; }

}  // namespace

// --- what is wanted ------------------------------------------------------------------------------
void SystemProfile::set_profiler(Term who, uint32_t wanted) {
  who_.store(who, std::memory_order_relaxed);
  vm_.profiled.store(wanted, std::memory_order_relaxed);
  bool slices = wanted & (profiled::processes | profiled::schedulers);
  vm_.host->watch(ProcessHost::kProfile, slices);
  vm_.scheduler->notify_of_sleep(wanted & profiled::schedulers);
}

void SystemProfile::set(Term who, uint32_t wanted, uint32_t stamp) {
  std::lock_guard guard(lock_);
  stamp_ = stamp;
  set_profiler(who, wanted);
  if (!(wanted & profiled::schedulers)) return;
  Scheduler& s = *vm_.scheduler;
  asleep_.clear();
  for (uint32_t i = 0; i < s.worker_count(); ++i) asleep_.push_back(s.worker(i).asleep());
}

bool SystemProfile::is_profiled_process(const Process& p) const {
  return wants(profiled::processes) && p.id != who_.load(std::memory_order_relaxed) && !works(p);
}

// --- messages ------------------------------------------------------------------------------------
/// {profile, Event..., Timestamp}. The lock is held.
void SystemProfile::send(Heap& h, std::initializer_list<Term> event) {
  Term who = who_.load(std::memory_order_relaxed);
  if (is_fault(who)) return;
  Term* e;
  Term message = new_tuple(h, event.size() + 2, &e);
  e[0] = am::profile;
  std::copy(event.begin(), event.end(), e + 1);
  e[event.size() + 1] = trace_timestamp(vm_, h, stamp_);
  if (!send_message(vm_, who, message)) set_profiler(kNone, 0);
}

/// Where it will go on; 0 for who does not.
static Term location(Process& p, Heap& h) {
  if (p.exiting) return make_small(0);
  if (!p.exec) return trace_location(p, h);
  // It calls a port: where its slice began, as on BEAM.
  return function_at(p.vm(), h, p.resume, make_small(0));
}

/// Nobody else touches it now.
void SystemProfile::notify_process_state(Process& p, bool active) {
  if (!is_profiled_process(p)) return;
  Reading reading(*vm_.scheduler);
  FragmentHeap h(kRoom);
  Term where = location(p, h);
  std::lock_guard guard(lock_);
  if (is_profiled_process(p)) send(h, {p.id, word(active), where});
}

// --- processes -----------------------------------------------------------------------------------
bool SystemProfile::park(Process& p) {
  if (!is_profiled_process(p)) return wb::park(p);
  FragmentHeap h(kRoom);
  Term id = p.id, where = location(p, h);
  std::lock_guard guard(lock_);
  const bool notified = is_profiled_process(p);
  if (!wb::park(p)) return false;
  if (notified) send(h, {id, am::inactive, where});
  return true;
}
void SystemProfile::process_active(Process& p) { notify_process_state(p, true); }
void SystemProfile::process_inactive(Process& p) { notify_process_state(p, false); }

// --- ports ---------------------------------------------------------------------------------------
void SystemProfile::port(Term id, bool active) {
  Reading reading(*vm_.scheduler);
  std::lock_guard guard(lock_);
  if (!wants(profiled::ports)) return;
  FragmentHeap h(kRoom);
  send(h, {id, word(active), make_small(0)});
}

// --- schedulers ----------------------------------------------------------------------------------
/// Not of dedicated ones.
void SystemProfile::notify_scheduler_state(Worker& w, bool active) {
  std::lock_guard guard(lock_);
  const uint32_t i = w.index();
  if (!wants(profiled::schedulers) || i >= asleep_.size() || asleep_[i] != active) return;
  asleep_[i] = !active;
  FragmentHeap h(kRoom);
  auto awake = std::count(asleep_.begin(), asleep_.end(), false);
  send(h, {am::scheduler, make_small(i + 1), word(active), make_small(awake)});
}
void SystemProfile::falls_asleep(Worker& w) { notify_scheduler_state(w, false); }
void SystemProfile::runs(Worker& w, Process& p) {
  if (!wants(profiled::schedulers) || p.id == who_.load(std::memory_order_relaxed)) return;
  notify_scheduler_state(w, true);
}

}  // namespace wb
