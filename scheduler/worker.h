// One scheduler thread: its run queue, its timers, its counters, and the loop between slices.
//
// Fields are grouped by who writes them. A host reads and sets the public ones during a slice.
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/after.h"
#include "scheduler/event_ring.h"
#include "scheduler/event_sampler.h"
#include "scheduler/metrics.h"
#include "scheduler/parker.h"
#include "scheduler/ring.h"
#include "scheduler/run_queue.h"
#include "scheduler/slice_clock.h"
#include "scheduler/stepper.h"
#include "scheduler/thread.h"
#include "scheduler/timer_wheel.h"

namespace wb {

class Scheduler;

struct WorkerCounters {
#define PROBE(group, name, text) Counter name;
#include "scheduler/probes.def"
#undef PROBE
};

class alignas(128) Worker {
 public:
  uint32_t index() const { return index_; }
  Scheduler& scheduler() const { return scheduler_; }

  void* context = nullptr;       ///< the host's own
  int32_t slice_reductions = 0;  ///< what the slice that begins now may take
  int32_t reductions_used = 0;   ///< the host may say what it took; preset to all of it
  uint64_t label = 0;            ///< the host may say whom events name: 56 bits, a process' number
  WorkerCounters counters;
  TimeAccounts accounts;
  EventRing events;        ///< read from anywhere, written by `note`
  Histogram wakeup_times;  ///< from being woken to going on
  // --- the host's, read from anywhere
  PauseRing pauses;
  FlowRing flows;                           ///< some messages, while `measures`
  Histogram pause_times;                    ///< of all pauses
  Histogram wait_times;                     ///< from runnable to running, of some, while `measures`
  EventSampler wait_sampler, flow_sampler;  ///< those that are measured
  std::atomic<uint32_t> measures{0};        ///< Scheduler::measures

  /// The loop, by a host that left the stack the loop ran upon in the middle of a slice
  /// (After::yielded_native). On its thread; returns when the scheduler stops.
  void serve_on_new_stack();

  uint64_t now_ticks() const { return simulates_ ? virtual_ticks() : read_ticks(); }
  /// Records an event, on its thread. Returns when it was.
  uint64_t note(EventKind kind, uint64_t argument) {
    if (WB_UNLIKELY(simulates_)) {
      tell_host(kind, argument);
      if (records_) events.record(kind, argument, virtual_ticks());
      return virtual_ticks();
    }
    uint64_t ticks = read_ticks();
    if (records_) events.record(kind, argument, slice_clock_.set(ticks));
    return ticks;
  }
  /// Runnables in its queue now, from any thread.
  uint32_t queue_length() const {
    return queue_.length() + (slot_.load(std::memory_order_relaxed) != nullptr);
  }
  /// The same by effective priority. What stands in the slot before the queue counts as normal.
  RunQueue::Lengths queue_lengths() {
    RunQueue::Lengths n = queue_.lengths();
    n.of[Runnable::kNormal] += slot_.load(std::memory_order_relaxed) != nullptr;
    return n;
  }
  uint64_t timer_count() const { return timers_.count(); }
  /// How often it took work from worker `i`, and how often it ran what had run there before.
  uint32_t taken_from(uint32_t i) const { return taken_from_[i].load(std::memory_order_relaxed); }
  uint32_t came_from(uint32_t i) const { return came_from_[i].load(std::memory_order_relaxed); }
  bool asleep() const;
  /// Time it was not asleep since it was made, from any thread.
  uint64_t active_ns() const;
  uint64_t active_ns(uint64_t now_ns) const { return active_.ns(now_ns); }
  /// Takes part in the common work: not offline, and no dedicated worker.
  bool online() const;

 private:
  friend class Scheduler;
  Worker(Scheduler& scheduler, uint32_t index, uint64_t now_ns);

  static void thread_main(void* self);
  void loop();
  void serve();
  void run(Runnable& r);
  int32_t varied(int32_t usual);
  void note_migration(Runnable& r);
  void note_steal(const Worker& victim);
  void slice_ended(After after);
  void note_end_of_slice(EventKind kind);
  void note_simulated(EventKind kind);

  Runnable* next();
  Runnable* next_local();
  Runnable* search();
  bool is_in_the_way();
  void note_search(uint64_t since_ns);
  Runnable* steal_round(bool take_slots);
  void stop_searching(bool found);
  void enqueue(Runnable& r);
  void check_backlog();
  void wake_helper();
  bool wants_help() const {
    return crowded_.load(std::memory_order_seq_cst) && queue_.stealable() != 0;
  }

  void evacuate();
  void tick();
  void fire_timers(TimerWheel& wheel);
  void help_late_timers();
  void check_memory();
  void poll_io();
  void hand_over_polling();
  void judge_hand_over();
  void note_report();
  /// Did any descriptor report?
  bool dispatch_io();
  void steal_urgent_work();
  void balance();
  void balance_urgent();
  void requeue_stolen(const Worker& victim, Runnable* r);
  bool reclaim();
  void sleep();
  bool may_sleep();
  uint64_t empty_caches(uint64_t now);
  void park();
  void mark_active(bool active);
  uint64_t virtual_ticks() const;
  void tell_host(EventKind kind, uint64_t argument);
  void simulate_idle();
  void sleep_recorded();
  static void step_main(void* self);
  bool step(uint64_t until_ns);
  void pause_if_due();
  void wait_parked(uint64_t timeout_ns, uint64_t deadline_ns, IoPoller* io);
  bool nothing_to_come();

  // --- its thread's own ---
  Scheduler& scheduler_;
  const uint32_t index_;
  const bool simulates_, records_;
  SliceClock slice_clock_;
  /// How many slices it had run when it was idle, since when that is, and when caches were emptied.
  uint64_t idle_after_ = 0, idle_since_ns_ = 0, emptied_after_ = 0;
  /// The first tick since it had nothing to run, or 0; after how much of such time it hands the
  /// watch of descriptors over; whether it has since then.
  uint64_t busy_since_ns_ = 0, hand_over_after_ns_ = 0;
  bool handed_over_ = false;
  int32_t tick_budget_ = 0;  ///< reductions until the next look at clock and descriptors
  uint32_t ticks_ = 0;
  int32_t variation_ = 0;
  uint32_t backlog_ = 0;  ///< reductions spent since others wait in the queue, times how many
  bool counted_ = false;  ///< stands in Scheduler::searching_
  uint64_t contended_until_ns_ = 0;  ///< others wanted the processor during its last search
  bool host_notified_ = false;       ///< the host was notified that it falls asleep
  BusyTime active_;
  Thread thread_;
  std::unique_ptr<Stepper> stepper_;                     ///< instead of it, or null
  using Row = std::unique_ptr<std::atomic<uint32_t>[]>;  ///< by worker, dedicated ones apart
  Row taken_from_, came_from_;

  // --- shared ---
  alignas(128) std::atomic<Runnable*> slot_{nullptr};  ///< stands before the queue
  std::atomic<bool> crowded_{false};  ///< there is a backlog: others may help themselves
  RunQueue queue_;
  alignas(128) TimerWheel timers_;
  alignas(128) Parker parker_;
  std::atomic<uint64_t> woken_at_{0};  ///< ticks, by who woke it
};

}  // namespace wb
