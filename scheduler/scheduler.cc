#include "scheduler/scheduler.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>

#include "base/cannot_start.h"
#include "scheduler/cpu_count.h"
#include "scheduler/recorded_jobs.h"

namespace wb {
namespace {

uint32_t count_workers(const Scheduler::Options& options) {
  if (options.stepped || (options.oracle && options.oracle->simulates())) return 1;
  uint32_t n = options.workers ? options.workers : usable_cpus();
  return std::min(n, 1024u);
}

}  // namespace

Scheduler::Scheduler(const Options& options, Host& host)
    : options_(options),
      count_(count_workers(options)),
      host_(host),
      own_oracle_(options.oracle ? nullptr : Oracle::live()),
      oracle_(options.oracle ? options.oracle : own_oracle_.get()),
      progress_(count_ + options.dedicated),
      io_(oracle_->recording()),
      dirty_cpu_("wb-cpu", options.dirty_cpu_threads ? options.dirty_cpu_threads : count_),
      dirty_io_("wb-io", options.dirty_io_threads),
      workers_(count_ + options.dedicated),
      total_(count_),
      online_(count_),
      accepting_(count_) {
  ns_at_birth_ = oracle_->now_ns();
  for (uint32_t i = 0; i < count_; ++i) {
    workers_[i].reset(new Worker(*this, i, oracle_->now_ns()));
  }
  if (Recording* recording = oracle_->recording())
    recorded_jobs_ = std::make_unique<RecordedJobs>(*this, *recording);
  if (options.stepped) workers_[0]->stepper_ = std::make_unique<Stepper>();
}

Scheduler::~Scheduler() {
  stop();
  progress_.drain();
}

// --- life ---

void Worker::thread_main(void* self) {
  auto* worker = static_cast<Worker*>(self);
  worker->scheduler_.all_started_.wait(false);
  worker->loop();
}

void Scheduler::start_worker(uint32_t i) {
  char name[16];
  snprintf(name, sizeof name, i < count_ ? "wb-sched-%u" : "wb-own-%u", i % 10000 + 1);
  if (!workers_[i]->thread_.start(name, Worker::thread_main, workers_[i].get())) {
    cannot_start("no thread for another scheduler (see --schedulers, ulimit -u)", errno);
  }
}

void Scheduler::start_from(uint32_t first) {
  searching_.store(0, std::memory_order_seq_cst);
  all_started_ = false;
  for (uint32_t i = first; i < all_worker_count(); ++i) start_worker(i);
  all_started_ = true;
  all_started_.notify_all();
}

void Scheduler::start() {
  if (!stepped()) start_from(0);
}

bool Scheduler::may_step() const {
  const Stepper& s = *workers_[0]->stepper_;
  return s.state != Stepper::State::running &&
         (s.state == Stepper::State::fresh || pthread_equal(s.thread, pthread_self()));
}

bool Scheduler::step(uint64_t budget_ns) {
  const uint64_t now = oracle_->now_ns();
  return may_step() && workers_[0]->step(budget_ns > ~now ? ~uint64_t{0} : now + budget_ns);
}

void Scheduler::abandon_step() {
  Stepper& s = *workers_[0]->stepper_;
  s.state = Stepper::State::ended;
  s.pause(TimerWheel::kNever);
  __builtin_unreachable();
}

uint64_t Scheduler::next_step_ns() const {
  const Worker& w = *workers_[0];
  if (w.stepper_->state == Stepper::State::ended) return TimerWheel::kNever;
  return w.parker_.unparked() ? 0 : w.stepper_->next_ns;
}

void Scheduler::run() {
  start_from(1);
  workers_[0]->loop();
  join();
}

void Scheduler::request_stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (uint32_t i = 0; i < all_worker_count(); ++i) unpark(i);
}

void Scheduler::join() {
  uint32_t workers;
  {
    std::lock_guard guard(dedicated_mutex_);  // one may just be made
    workers = all_worker_count();
  }
  for (uint32_t i = 0; i < workers; ++i) workers_[i]->thread_.join();
  if (stepped() && workers_[0]->stepper_->state == Stepper::State::paused) step(0);
  dirty_cpu_.stop();
  dirty_io_.stop();
  progress_.drain();  // those who are notified that something was freed are still there
  stopping_.store(false, std::memory_order_seq_cst);
}

// --- running ---

WB_INLINE void Scheduler::place(Worker* here, Runnable& r) {
  if (here && (r.pinned ? here->index() == r.home : here->online())) return here->enqueue(r);
  push_to_another(r);
}

void Scheduler::enqueue_elsewhere(Worker* here, Runnable& r) {
  const uint32_t look = measures();
  if (here && look && WB_UNLIKELY(here->wait_sampler.is_sampled(look))) {
    return enqueue_sampled(*here, r);
  }
  place(here, r);
}

WB_COLD void Scheduler::enqueue_sampled(Worker& here, Runnable& r) {
  host_.became_runnable(here, r);
  place(&here, r);
}

void Scheduler::push_to_another(Runnable& r) {
  const bool pinned = r.pinned;
  uint32_t target = r.home;
  if (target >= (pinned ? all_worker_count() : online())) target %= online();
  bool claimed = claim(target);
  if (!claimed && !pinned) {
    int idle = claim_any();
    claimed = idle >= 0;
    if (claimed) target = uint32_t(idle);
  }
  workers_[target]->queue_.push(r);
  if (claimed || claim(target)) unpark(target);
}

void Scheduler::measure(bool on, bool anew) {
  if (on == (measures() != 0) && !anew) return;
  uint32_t look = on ? std::max(looks_ + 1, 1u) : 0;
  if (on) looks_ = look;
  measures_.store(look, std::memory_order_seq_cst);
  update_accepting();
  for (uint32_t i = 0; i < all_worker_count(); ++i) workers_[i]->measures.store(look);
}

// Whoever changes either comes here after it, so the last one sees both.
void Scheduler::update_accepting() {
  std::lock_guard guard(accepting_mutex_);
  accepting_.store(measures_.load(std::memory_order_seq_cst) ? 0 : online_.load(),
                   std::memory_order_seq_cst);
}

void Scheduler::boost(Runnable& r, uint8_t to) {
  r.pending_boost.store(to, std::memory_order_release);  // for whoever queues it behind our back
  for (uint32_t i = 0, n = all_worker_count(); i < n; ++i) {
    Worker& worker = *workers_[i];
    if (worker.queue_.boost(r, to)) return;
    Runnable* next = &r;
    if (!worker.slot_.compare_exchange_strong(next, nullptr, std::memory_order_acq_rel)) continue;
    r.boost = to;
    return worker.queue_.push(r);
  }
}

void Scheduler::set_online(uint32_t workers) {
  online_.store(std::clamp(workers, 1u, count_), std::memory_order_seq_cst);
  update_accepting();
  for (uint32_t i = 0; i < count_; ++i) unpark(i);
}

bool Scheduler::dedicate(Runnable& r) {
  if (oracle_->simulates() || stepped()) return false;
  std::lock_guard guard(dedicated_mutex_);
  uint32_t i = total_.load(std::memory_order_relaxed);
  if (!dedicated_free_.empty()) {
    i = dedicated_free_.back();
    dedicated_free_.pop_back();
  } else if (i < workers_.size() && !stopping()) {
    workers_[i].reset(new Worker(*this, i, oracle_->now_ns()));
    workers_[i]->measures.store(measures());
    total_.store(i + 1, std::memory_order_seq_cst);  // before it can sleep: see request_stop
    start_worker(i);
  } else {
    return false;
  }
  r.home = uint16_t(i);
  r.pinned = 1;
  return true;
}

void Scheduler::undedicate(Runnable& r) {
  std::lock_guard guard(dedicated_mutex_);
  if (!r.pinned || r.home < count_) return;
  dedicated_free_.push_back(r.home);
  r.pinned = 0;
}

void Scheduler::submit_dirty(DirtyKind kind, DirtyJob& job) {
  if (!oracle_->simulates()) return dirty(kind).submit(job);
  if (recorded_jobs_) return recorded_jobs_->submit(kind, job);
  submit_between_slices(job);
}

void Scheduler::submit_between_slices(DirtyJob& job) {
  {
    std::lock_guard guard(simulated_lock_);
    simulated_.push(job);
  }
  if (!own_worker()) unpark(0);
}

bool Scheduler::withdraw_dirty(DirtyKind kind, DirtyJob& job) {
  if (!oracle_->simulates()) return dirty(kind).withdraw(job);
  if (recorded_jobs_) return recorded_jobs_->withdraw(kind, job);
  std::lock_guard guard(simulated_lock_);
  return simulated_.remove(job);
}

void Scheduler::await_recorded(DirtyJob& job) {
  if (recorded_jobs_) recorded_jobs_->await(job);
}

bool Scheduler::simulate_dirty() {
  if (recorded_jobs_ && recorded_jobs_->deliver()) return true;
  DirtyJob* job;
  {
    std::lock_guard guard(simulated_lock_);
    job = simulated_.pop();
    if (!job) return false;
  }
  job->execute();
  return true;
}

// --- time and descriptors ---

void Scheduler::start_timer(Timer& timer, uint64_t deadline_ns, Timer::Fire fire) {
  Worker* here = own_worker();
  Worker& owner = here ? *here : *workers_[0];
  timer.deadline_ns = deadline_ns;
  timer.fire = fire;
  timer.owner = uint16_t(owner.index());
  owner.timers_.start(timer);
  if (here) here->counters.timers_started.add(1);
  if (!here && claim(owner.index())) unpark(owner.index());
}

EventClock Scheduler::event_clock() {
  if (oracle_->simulates()) return {0, 0, 1 << 30, 1 << 30};  // ticks are virtual nanoseconds
  return {ticks_at_birth_, ns_at_birth_, read_ticks(), oracle_->now_ns()};
}

bool Scheduler::cancel_timer(Timer& timer) {
  if (timer.owner >= all_worker_count()) return false;
  Worker* here = own_worker();
  bool cancelled = workers_[timer.owner]->timers_.cancel(timer, here);
  if (cancelled && here) here->counters.timers_cancelled.add(1);
  return cancelled;
}

int Scheduler::watch_fd(FdWatch& watch, uint32_t events) { return io_.watch(watch, events); }

// --- memory others may be reading ---

// A worker looks for what can be freed soon enough, also before it sleeps. For a thread that is
// none a sleeper is woken; like a pusher's, its look at idle_ comes after the batch is there to be
// seen.
void Scheduler::retire(void* object, void (*free)(void*)) {
  uint32_t me = own_index();
  progress_.retire(object, free, me);
  if (me == ThreadProgress::kNobody) wake_any();
}

void Scheduler::when_all_passed(void* argument, void (*callback)(void*)) {
  uint32_t me = own_index();
  progress_.when_all_passed(argument, callback, me);
  if (me == ThreadProgress::kNobody) wake_any();
}

// --- sleepers ---

// Whoever takes a worker out of the idle set counts it as searching; it uncounts itself.
bool Scheduler::claim(uint32_t i) {
  if (!idle_.contains(i)) return false;
  searching_.fetch_add(1, std::memory_order_seq_cst);
  if (idle_.remove(i)) return true;
  searching_.fetch_sub(1, std::memory_order_seq_cst);
  return false;
}

int Scheduler::claim_any() {
  if (!idle_.any(online())) return -1;
  searching_.fetch_add(1, std::memory_order_seq_cst);
  int i = idle_.remove_any(online());
  if (i < 0) searching_.fetch_sub(1, std::memory_order_seq_cst);
  return i;
}

void Scheduler::unpark(uint32_t i) {
  uint64_t now;
  if (Worker* here = own_worker()) {
    here->counters.wakes.add(1);
    now = here->note(EventKind::woke, i);
  } else {
    now = read_ticks();
  }
  workers_[i]->woken_at_.store(now, std::memory_order_relaxed);
  workers_[i]->parker_.unpark(io_);
}

bool Scheduler::wake_any() {
  int i = claim_any();
  if (i < 0) return false;
  unpark(uint32_t(i));
  return true;
}

void Scheduler::wake_another() {
  if (!idle_.any(online())) return;
  uint32_t none = 0;
  if (!searching_.compare_exchange_strong(none, 1, std::memory_order_seq_cst)) return;
  int i = idle_.remove_any(online());
  if (i >= 0) return unpark(uint32_t(i));
  searching_.fetch_sub(1, std::memory_order_seq_cst);
}

bool Scheduler::dirty_idle() {
  for (DirtyKind kind : {DirtyKind::cpu, DirtyKind::io}) {
    const DirtyPool::Use use = dirty(kind).use();
    if (use.running || use.waiting) return false;
  }
  return true;
}

bool Scheduler::await_waking(int fd) {
  wake_notice_.ask(fd);
  bool asleep = dirty_idle();
  for (uint32_t i = 0; i < all_worker_count(); ++i) asleep &= workers_[i]->asleep();
  if (!asleep) wake_notice_.withdraw();
  return asleep;
}

bool Scheduler::any_stealable() {
  for (uint32_t i = 0; i < count_; ++i) {
    if (workers_[i]->wants_help()) return true;
  }
  return false;
}

}  // namespace wb
