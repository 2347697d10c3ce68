// Workers that run what is runnable: a thread a core, each with its own queue, timers and counters.
//
// A worker takes the next runnable from its queue and has the host run one slice of it. Between
// slices it announces quiescence (thread_progress.h) and, after about one full slice's reductions,
// looks at the clock for timers, at file descriptors, and whether others have longer queues. When
// its queue is empty it searches: spins briefly while robbing others of half their queue. Then it
// sleeps, one of the sleepers in epoll for all descriptors, the others on futexes, each until its
// own next timer. Nobody wakes up for nothing: an idle VM uses no processor time.
//
// What becomes runnable on a worker goes to that worker: the receiver's data are warm there. If its
// queue is empty it goes to the slot before the queue, which costs no lock and is exactly first in,
// first out. (Rejected: a slot that jumps the queue, as in Go or Tokio. It makes some pairs faster
// and turns the order in which woken processes run around, which Erlang programs can see.)
//
// Others help when there is a backlog: when those who wait have waited, together, for the
// reductions of some slices, or are many. Until then nobody is woken and nobody steals: the few
// that a process wakes run in the order in which it woke them, as on BEAM, where they would be done
// before another core is awake. (Rejected: waking as soon as two are runnable. Who was woken last
// then often ran first, on the other core, and OTP's supervisors were seen between two steps.) A
// backlog lasts until the queue is empty.
//
// No wake-up is lost. Invariant: the owner of a queue that is not empty is awake or owes itself a
// look at it.
//   sleeper: add own bit to idle_; look at own queue, others' queues, stopping_; park
//   pusher:  push (publishes the length); look at the owner's bit in idle_; remove it, unpark
// All four memory accesses are sequentially consistent, so it cannot be that the sleeper misses the
// push and the pusher misses the bit. A parker keeps a token, so an unpark before the park counts.
// Timers are the same with the wheel's lock in the place of the queue's length. The owner's own
// pushes need nothing: it is awake. `searching_` only limits how many look for work at once; when
// the last searcher finds some it wakes the next, and a worker that starts a slice with a backlog
// wakes one, so a wake-up saved too eagerly costs at most a slice of parallelism. What others may
// take is a queue that is not empty and whose owner has said that it is a backlog: two words, each
// published before the look at idle_.
//
// A seeded run (oracle.h) has one worker and virtual time; dirty jobs then run on that worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/dirty_pool.h"
#include "scheduler/idle_set.h"
#include "scheduler/io_poller.h"
#include "scheduler/oracle.h"
#include "scheduler/thread_progress.h"
#include "scheduler/wake_notice.h"
#include "scheduler/worker.h"

namespace wb {

/// Implemented by whoever owns the runnables.
/// `worker_started` comes for dedicated workers too, at any time, with an index above the others.
struct Host {
  virtual ~Host() = default;
  virtual After run_slice(Worker& w, Runnable& r) = 0;  ///< at most one slice, on w's thread
  virtual void migrated(Worker&, Runnable&) {}          ///< it last ran on another worker
  /// It becomes runnable upon that worker, while somebody measures (Scheduler::measure), and is one
  /// of those chosen (Worker::wait_sampler).
  virtual void became_runnable(Worker&, Runnable&) {}
  /// It finds nothing to do, while somebody wants to know (Scheduler::notify_of_sleep).
  virtual void falls_asleep(Worker&) {}
  /// It has run nothing for a second since it ran something.
  virtual void has_been_idle(Worker&) {}
  /// In a seeded run: an event of its ring.
  virtual void noted(Worker&, EventKind, uint64_t argument) {}
  virtual void worker_started(Worker&) {}
  virtual void worker_stopping(Worker&) {}
};

class RecordedJobs;

class Scheduler {
 public:
  struct Options {
    uint32_t workers = 0;      ///< 0: as many as the machine suits (cpu_count.h)
    Oracle* oracle = nullptr;  ///< not owned; nullptr: a live one
    int32_t slice_reductions = 4000;
    uint32_t dirty_cpu_threads = 0;  ///< at most so many; 0: as many as workers
    uint32_t dirty_io_threads = 10;
    uint32_t dedicated = 16;    ///< at most so many runnables with a thread of their own
    bool record_events = true;  ///< in the workers' event rings (event_ring.h)
    bool balance = true;        ///< even out queues among busy workers
    /// One worker and no thread for it: step() runs it (stepper.h).
    bool stepped = false;
  };

  Scheduler(const Options& options, Host& host);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;

  // --- life ---
  void start();
  /// Instead of start(): the calling thread becomes worker 0 until someone requests the stop.
  void run();
  /// Workers end after the slice they are in. From any thread, also a worker's.
  void request_stop();
  /// Waits for the workers, then for running dirty jobs; frees what was retired. Not from a worker.
  void join();
  void stop() {
    request_stop();
    join();
  }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // --- without threads of its own (Options::stepped). One thread makes all steps, and joins ---
  bool stepped() const { return options_.stepped; }
  /// Runs what is runnable on the calling thread, slice by slice, until nothing is or `budget_ns`
  /// are over. False: it runs already (further down this stack), has been stopped, or another
  /// thread makes the steps.
  bool step(uint64_t budget_ns);
  bool may_step() const;
  /// Within a step that cannot go on: returns to the caller of step(), for ever.
  [[noreturn]] void abandon_step();
  /// When there is something to do, by the oracle's time: 0: now; ~0: when somebody makes
  /// something runnable or a descriptor is ready, which poll_descriptor() becomes readable for.
  uint64_t next_step_ns() const;
  int poll_descriptor() const { return io_.descriptor(); }

  // --- running ---
  /// How many of the workers take part; the others give their work away and sleep. 1..worker_count.
  void set_online(uint32_t workers);
  uint32_t online() const { return online_.load(std::memory_order_relaxed); }
  /// Gives `r` a thread of its own until `undedicate`: pins it to a worker that does nothing else.
  /// While it stands in no queue, or in its own slice. False: all such threads are taken.
  bool dedicate(Runnable& r);
  void undedicate(Runnable& r);

  /// Makes `r` runnable. From any thread; it stands in no queue and does not run.
  void enqueue(Runnable& r) {
    Worker* here = own_worker();
    if (WB_LIKELY(here && !r.pinned &&
                  here->index() < accepting_.load(std::memory_order_relaxed))) {
      return here->enqueue(r);
    }
    enqueue_elsewhere(here, r);
  }
  void submit_dirty(DirtyKind kind, DirtyJob& job);
  /// In a recorded run, by the worker: before it waits for a job that has begun.
  void await_recorded(DirtyJob& job);
  /// Of a run with one worker (Oracle::simulates): that does it, between slices.
  void submit_between_slices(DirtyJob& job);
  /// Takes a job back; false: it has begun.
  bool withdraw_dirty(DirtyKind kind, DirtyJob& job);

  /// Does anybody want to know how long runnables wait, and who writes to whom? For the host,
  /// which then measures some. 0: nobody; else the number of the look that `anew` began. Also in
  /// every worker.
  void measure(bool on, bool anew = false);
  uint32_t measures() const { return measures_.load(std::memory_order_relaxed); }

  /// Is the host notified when a worker falls asleep? It may make something runnable there.
  void notify_of_sleep(bool on) { notifies_of_sleep_.store(on, std::memory_order_seq_cst); }

  /// Nothing runs: all workers sleep, and so do the threads for dirty jobs. Then the next worker
  /// that wakes up writes to the eventfd `fd`, once, unless stop_awaiting_waking() comes before it.
  /// False: something runs, and nobody writes. One thread at a time.
  bool await_waking(int fd);
  void stop_awaiting_waking() { wake_notice_.withdraw(); }

  /// Do workers count what they spend their time on (accounted_time.h)?
  void account_time(bool on) { accounts_time_.store(on, std::memory_order_relaxed); }
  bool accounts_time() const { return accounts_time_.load(std::memory_order_relaxed); }

  // --- time ---
  Oracle& oracle() { return *oracle_; }
  uint64_t now_ns() { return oracle_->now_ns(); }
  /// `fire` is called once on a worker, not before `deadline_ns`, unless cancelled. Keep it short.
  void start_timer(Timer& timer, uint64_t deadline_ns, Timer::Fire fire);
  /// True: it will not fire. False: it has fired (or was never started) and its callback is over.
  /// Either way the timer may be freed now. A callback cancels no timers but its own and those that
  /// were started on the same worker.
  bool cancel_timer(Timer& timer);

  // --- descriptors (io_poller.h) ---
  int watch_fd(FdWatch& watch, uint32_t events);
  void unwatch_fd(FdWatch& watch) { io_.unwatch(watch, own_worker() != nullptr); }
  uint32_t watched_fds() const { return io_.armed(); }

  // --- memory others may be reading (thread_progress.h) ---
  // Any lock may be held: the callback runs later. (Before start() it waits for the workers, for
  // progress().reclaim() or for the end.)
  void retire(void* object, void (*free)(void*));
  void when_all_passed(void* argument, void (*callback)(void*));
  ThreadProgress& progress() { return progress_; }

  // --- looking ---
  /// The worker this thread is, or nullptr.
  static Worker* current() { return current_; }
  /// The same, if it is one of this scheduler's.
  Worker* own_worker() const {
    return current_ && &current_->scheduler() == this ? current_ : nullptr;
  }
  uint32_t worker_count() const { return count_; }  ///< without dedicated ones
  uint32_t all_worker_count() const { return total_.load(std::memory_order_seq_cst); }
  /// Somebody of priority `to` waits for what `r` does next: in the queue where it stands, or the
  /// next that it comes to, it runs as if that were its own, once. (Whoever enqueues it can set
  /// Runnable::boost.)
  void boost(Runnable& r, uint8_t to);
  /// For the ticks in Worker::events.
  EventClock event_clock();
  Worker& worker(uint32_t i) { return *workers_[i]; }
  /// No dirty job runs or waits.
  bool dirty_idle();
  DirtyPool& dirty(DirtyKind kind) { return kind == DirtyKind::cpu ? dirty_cpu_ : dirty_io_; }

 private:
  friend class Worker;
  static inline constinit thread_local Worker* current_ = nullptr;

  uint32_t own_index() const { return own_worker() ? current_->index() : ThreadProgress::kNobody; }

  void enqueue_elsewhere(Worker* here, Runnable& r);
  void enqueue_sampled(Worker& here, Runnable& r);
  void place(Worker* here, Runnable& r);
  void push_to_another(Runnable& r);
  void update_accepting();
  bool claim(uint32_t i);
  int claim_any();
  void unpark(uint32_t i);
  bool wake_any();
  void wake_another();
  bool any_stealable();
  bool simulate_dirty();
  friend class RecordedJobs;
  void start_worker(uint32_t i);
  void start_from(uint32_t first);

  const Options options_;
  const uint32_t count_;
  Host& host_;
  const uint64_t ticks_at_birth_ = read_ticks();
  uint64_t ns_at_birth_ = 0;
  std::unique_ptr<Oracle> own_oracle_;
  Oracle* const oracle_;
  ThreadProgress progress_;
  IoPoller io_;
  DirtyPool dirty_cpu_, dirty_io_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< ordinary, then dedicated; never resized
  std::atomic<uint32_t> total_;                   ///< workers that exist
  std::atomic<uint32_t> online_;
  /// Workers below take what becomes runnable there and need not look further: those online, or
  /// none while somebody measures.
  std::atomic<uint32_t> accepting_;
  std::mutex accepting_mutex_;
  std::atomic<uint32_t> measures_{0};
  std::atomic<bool> accounts_time_{false};
  std::atomic<bool> notifies_of_sleep_{false};
  uint32_t looks_ = 0;  ///< of who measures
  std::mutex dedicated_mutex_;
  std::vector<uint16_t> dedicated_free_;  ///< under dedicated_mutex_
  SpinLock simulated_lock_;
  DirtyQueue simulated_;                         ///< jobs of the worker, between slices
  std::unique_ptr<RecordedJobs> recorded_jobs_;  ///< of a recorded run, else null

  alignas(128) IdleSet idle_;
  alignas(128) WakeNotice wake_notice_;
  alignas(128) std::atomic<uint32_t> searching_{0};  ///< workers looking for work, or woken to
  /// When descriptors first reported something since a worker handed the watch over, or 0.
  std::atomic<uint64_t> first_report_ns_{0};
  std::atomic<bool> stopping_{false};
  /// Until then no worker begins: what one runs may leave no memory for the next one's thread.
  std::atomic<bool> all_started_{false};
};

inline bool Worker::online() const { return index_ < scheduler_.online(); }

}  // namespace wb
