#include "scheduler/worker.h"

#include <algorithm>
#include <utility>

#include "base/large_blocks.h"
#include "base/memory_limit.h"
#include "base/recording.h"
#include "scheduler/accounted_time.h"
#include "scheduler/guide.h"
#include "scheduler/scheduler.h"

namespace wb {
namespace {

constexpr int32_t kTickReductions = 4000;
constexpr int32_t kSliceCost = 250;      // so that short slices too come to a tick: every 16
constexpr uint32_t kTimerBudget = 1024;  // steps of timer work between slices
constexpr uint64_t kLateNs = 50'000;     // then others fire a worker's timers
constexpr uint32_t kPatience = 40'000;   // reductions times those who wait: then it is a backlog
constexpr uint32_t kCrowd = 16;          // or so many at once
constexpr uint32_t kSearchRounds = 16;
constexpr uint32_t kRoundPauses = 32;  // about a microsecond
constexpr uint64_t kBusyNs = 100'000;  // so long it does not come to the descriptors
constexpr uint64_t kLongBusyNs = 4'000'000;
constexpr uint64_t kIdleNs = 1'000'000'000;
constexpr uint64_t kInterruptedNs = 100'000, kContendedNs = 20'000'000;

}  // namespace

Worker::Worker(Scheduler& scheduler, uint32_t index, uint64_t now_ns)
    : scheduler_(scheduler),
      index_(index),
      simulates_(scheduler.oracle_->simulates()),
      records_(scheduler.options_.record_events),
      taken_from_(new std::atomic<uint32_t>[scheduler.count_]()),
      came_from_(new std::atomic<uint32_t>[scheduler.count_]()),
      timers_(now_ns) {}

uint64_t Worker::virtual_ticks() const { return scheduler_.now_ns(); }

void Worker::tell_host(EventKind kind, uint64_t argument) {
  scheduler_.host_.noted(*this, kind, argument);
}

bool Worker::asleep() const { return scheduler_.idle_.contains(index_); }

uint64_t Worker::active_ns() const { return active_.ns(scheduler_.oracle_->now_ns()); }

void Worker::mark_active(bool active) { active_.mark(active, scheduler_.oracle_->now_ns()); }

void Worker::loop() {
  Scheduler::current_ = this;
  counted_ = false;
  if (Recording* recording = scheduler_.oracle_->recording()) recording->adopt();
  scheduler_.progress_.online(index_);
  mark_active(true);
  scheduler_.host_.worker_started(*this);
  serve();
  scheduler_.host_.worker_stopping(*this);
  mark_active(false);
  scheduler_.progress_.offline(index_);
  Scheduler::current_ = nullptr;
}

// Keeps nothing on its stack that outlives a slice: see serve_on_new_stack().
void Worker::serve() {
  while (!scheduler_.stopping()) {
    if (WB_UNLIKELY(!online())) evacuate();
    if (WB_UNLIKELY(stepper_ != nullptr)) pause_if_due();
    if (Runnable* r = next()) {
      run(*r);
    } else {
      sleep();
    }
  }
}

void Worker::serve_on_new_stack() {
  slice_ended(After::yielded_native);
  serve();
}

/// Slices of one length would end at the same few places of a loop whose rounds divide it, and who
/// looks where slices end (vm/orc/orc.h) would never see the others. So all lengths near the usual
/// one are taken in turn, far ones after each other.
int32_t Worker::varied(int32_t usual) {
  constexpr int32_t kLengths = 128, kStep = 49, kFinest = 4096;
  if (simulates_) return usual;
  variation_ = (variation_ + kStep) % kLengths;
  return usual + usual * (variation_ - kLengths / 2) / kFinest;
}

void Worker::run(Runnable& r) {
  Oracle& oracle = *scheduler_.oracle_;
  if (queue_.stealable() | backlog_) check_backlog();
  if (WB_UNLIKELY(r.home != index_)) note_migration(r);
  slice_reductions = reductions_used =
      oracle.slice_reductions(varied(scheduler_.options_.slice_reductions));
  label = reinterpret_cast<uintptr_t>(&r);
  After after = scheduler_.host_.run_slice(*this, r);
  slice_ended(after);
  if (after == After::requeue) scheduler_.enqueue(r);
}

static void add_one(std::atomic<uint32_t>& n) {
  n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
void Worker::note_migration(Runnable& r) {
  uint32_t from = r.home, ordinary = scheduler_.worker_count();
  if (from < ordinary && index_ < ordinary) add_one(came_from_[from]);
  r.home = uint16_t(index_);
  scheduler_.host_.migrated(*this, r);
}
void Worker::note_steal(const Worker& victim) {
  if (victim.index_ < scheduler_.worker_count()) add_one(taken_from_[victim.index_]);
}

/// How the events call it.
static constexpr EventKind end_of_slice(After after) {
  switch (after) {
    case After::parked:
      return EventKind::parked;
    case After::gone:
      return EventKind::gone;
    case After::requeue:
    case After::yielded_native:
      break;
  }
  return EventKind::requeued;
}

/// In a seeded run.
WB_COLD void Worker::note_simulated(EventKind kind) {
  tell_host(kind, label);
  if (!records_) return;
  kind == EventKind::requeued ? events.prolong(kind, label, virtual_ticks())
                              : events.record(kind, label, virtual_ticks());
}

WB_INLINE void Worker::note_end_of_slice(EventKind kind) {
  if (WB_UNLIKELY(simulates_)) return note_simulated(kind);
  if (!records_) return;
  const uint64_t ticks = slice_clock_.slice_ended(reductions_used, read_ticks);
  if (WB_LIKELY(kind != EventKind::requeued)) return events.record(kind, label, ticks);
  events.prolong(kind, label, ticks);
}

void Worker::slice_ended(After after) {
  note_end_of_slice(end_of_slice(after));
  counters.slices.add(1);
  counters.reductions.add(uint64_t(reductions_used));
  tick_budget_ -= reductions_used + kSliceCost;
  if (after == After::yielded_native)
    tick_budget_ = 0;  // native work: reductions say little about time
  if (simulates_) scheduler_.oracle_->worked(reductions_used + kSliceCost);
}

// --- what to run next ---

void Worker::enqueue(Runnable& r) {
  bool usual = r.effective_priority() == Runnable::kNormal &&
               !r.pending_boost.load(std::memory_order_relaxed) && !r.pinned;
  if (usual && !slot_.load(std::memory_order_relaxed) && queue_.length() == 0 && !simulates_) {
    slot_.store(&r, std::memory_order_release);
    return;
  }
  bool pinned = r.pinned;
  queue_.push(r);
  if (!pinned && (crowded_.load(std::memory_order_relaxed) || queue_.stealable() >= kCrowd)) {
    wake_helper();
  }
}

// Before a slice. The few that will soon run are not worth a wake-up, and keep their order.
void Worker::check_backlog() {
  uint32_t waiting = queue_.stealable();
  if (waiting == 0) {
    backlog_ = 0;
    crowded_.store(false, std::memory_order_relaxed);
    return;
  }
  if (backlog_ < kPatience)
    backlog_ += std::min(waiting, kCrowd) * uint32_t(reductions_used + kSliceCost);
  if (backlog_ >= kPatience) wake_helper();
}

void Worker::wake_helper() {
  backlog_ = kPatience;
  if (!crowded_.load(std::memory_order_relaxed)) crowded_.store(true, std::memory_order_seq_cst);
  scheduler_.wake_another();
}

Runnable* Worker::next() {
  if (tick_budget_ <= 0) {
    tick();
    hand_over_polling();
  }
  if (WB_UNLIKELY(simulates_)) {
    if (Guide* guide = scheduler_.oracle_->chooser()) guide->next_timer(timers_.next_deadline_ns());
  }
  scheduler_.progress_.quiescent(index_);
  Runnable* r = next_local();
  if (!r) {
    tick();
    r = next_local();
  }
  if (!r) r = search();
  if (counted_) stop_searching(r != nullptr);
  return r;
}

Runnable* Worker::next_local() {
  if (slot_.load(std::memory_order_relaxed) && !queue_.urgent()) {
    if (Runnable* r = slot_.exchange(nullptr, std::memory_order_acquire)) return r;
  }
  return queue_.pop(*scheduler_.oracle_);
}

// Nobody else is awake: what comes, comes from outside.
static bool alone(Scheduler& s, const Worker& w) {
  for (uint32_t i = 0; i < s.online(); ++i) {
    if (i != w.index() && !s.worker(i).asleep()) return false;
  }
  return s.all_worker_count() == s.worker_count() && s.dirty_idle();
}

// A search that took far longer than its rounds was interrupted: others want the processor, perhaps
// whoever is about to answer (a node, a program). For a while who is alone goes to sleep at once.
// Where nobody wants it, spinning is what makes a round trip short.
bool Worker::is_in_the_way() {
  return contended_until_ns_ && scheduler_.now_ns() < contended_until_ns_ &&
         alone(scheduler_, *this);
}
void Worker::note_search(uint64_t since_ns) {
  const uint64_t now = scheduler_.now_ns();
  contended_until_ns_ = now - since_ns > kInterruptedNs ? now + kContendedNs : 0;
}

// Looks for work elsewhere: some rounds when not too many are at it already, else one.
Runnable* Worker::search() {
  uint32_t workers = scheduler_.worker_count();
  if (workers == 1 || !online() || is_in_the_way()) return nullptr;
  AccountedTime time(this, Account::other);
  if (!counted_ && 2 * scheduler_.searching_.load(std::memory_order_relaxed) < workers) {
    scheduler_.searching_.fetch_add(1, std::memory_order_seq_cst);
    counted_ = true;
  }
  uint32_t rounds = counted_ ? kSearchRounds : 1;
  const bool times = !simulates_;
  const uint64_t since = times ? scheduler_.now_ns() : 0;
  for (uint32_t round = 0; round < rounds && !scheduler_.stopping(); ++round) {
    if (Runnable* r = steal_round(round >= kSearchRounds / 2)) return r;
    for (uint32_t n = 0; n < kRoundPauses; ++n) cpu_relax();
    if (Runnable* r = next_local()) return r;
  }
  if (times) note_search(since);
  return nullptr;
}

// A slot is robbed late in the search: its worker is about to come to it.
Runnable* Worker::steal_round(bool take_slots) {
  uint32_t workers = scheduler_.worker_count();
  uint32_t first = scheduler_.oracle_->choose(workers);
  for (uint32_t n = 0; n < workers; ++n) {
    Worker& victim = *scheduler_.workers_[(first + n) % workers];
    if (&victim == this) continue;
    if (!victim.crowded_.load(std::memory_order_relaxed)) continue;
    Runnable* r = queue_.steal_from(victim.queue_);
    if (!r && take_slots && victim.slot_.load(std::memory_order_relaxed)) {
      r = victim.slot_.exchange(nullptr, std::memory_order_acquire);
    }
    if (r) {
      counters.steals.add(1);
      note_steal(victim);
      note(EventKind::stolen, victim.index_);
      return r;
    }
  }
  return nullptr;
}

// Offline: what is not pinned here goes to the others.
void Worker::evacuate() {
  while (Runnable* r = slot_.exchange(nullptr, std::memory_order_acquire)) {
    counters.evacuated.add(1);
    scheduler_.enqueue(*r);
  }
  if (queue_.stealable() == 0) return;
  while (Runnable* r = queue_.take_movable()) {
    counters.evacuated.add(1);
    scheduler_.enqueue(*r);
  }
}

void Worker::stop_searching(bool found) {
  counted_ = false;
  bool last = scheduler_.searching_.fetch_sub(1, std::memory_order_seq_cst) == 1;
  if (last && found && scheduler_.any_stealable()) scheduler_.wake_another();
}

// --- between slices ---

void Worker::tick() {
  AccountedTime time(this, Account::other);
  tick_budget_ = kTickReductions;
  ++ticks_;
  if (WB_UNLIKELY(simulates_)) scheduler_.oracle_->tick();
  if (!timers_.empty()) fire_timers(timers_);
  help_late_timers();
  const bool idle = queue_length() == 0;
  if (idle) judge_hand_over();
  // Who goes to sleep looks there; a recorded run each time, however often it has slept.
  const bool is_due = ticks_ % 4 == 0 || scheduler_.oracle_->recording();
  if (is_due || (idle && !is_in_the_way())) poll_io();
  if (ticks_ % 16 == 0) scheduler_.progress_.flush(index_);
  if (ticks_ % 64 == 0) check_memory();
  if (ticks_ % 64 == 0 && scheduler_.options_.balance) balance();
  if (scheduler_.progress_.pending()) reclaim();
  steal_urgent_work();
  if (WB_UNLIKELY(simulates_)) {
    Oracle& oracle = *scheduler_.oracle_;
    if (!oracle.has_virtual_time() || oracle.choose(4) == 0) scheduler_.simulate_dirty();
  }
}

void Worker::fire_timers(TimerWheel& wheel) {
  uint32_t fired = wheel.advance(scheduler_.now_ns(), kTimerBudget, *this);
  counters.timers_fired.add(fired);
  if (fired) note(EventKind::timers, fired);
}

// A worker whose timers are late is in a slice that takes long, or the system has taken its
// processor away: it would be milliseconds until it comes to them. One of the others is looked at
// each time, in turn.
void Worker::help_late_timers() {
  uint32_t workers = scheduler_.worker_count();
  if (workers == 1 || !online()) return;
  TimerWheel& wheel = scheduler_.worker((index_ + 1 + ticks_ % (workers - 1)) % workers).timers_;
  if (wheel.empty()) return;
  if (wheel.late(scheduler_.now_ns() - kLateNs)) fire_timers(wheel);
}

void Worker::check_memory() {
  AccountedTime time(this, Account::aux);
  check_memory_limit();
  if (large_bytes_kept()) release_unused_large_blocks(scheduler_.now_ns());
}

void Worker::poll_io() {
  IoPoller& io = scheduler_.io_;
  if (io.armed() == 0 || io.claimed() || !io.claim()) return;
  AccountedTime time(this, Account::check_io);
  io.wait(0);
  dispatch_io();
}

bool Worker::dispatch_io() {
  AccountedTime time(this, Account::check_io);
  uint32_t reports = scheduler_.io_.dispatch(*this);
  scheduler_.io_.release();
  counters.io_events.add(reports);
  counters.polls.add(1);
  if (reports) note(EventKind::io, reports);
  return reports != 0;
}

// The worker that watched the descriptors got busy: somebody idle takes the watch. Only after a
// full slice's work, because a short answer to a report ends with the same worker asleep again, and
// later where that was too early: when this one had nothing to run and would have polled itself
// before the other one could have served anybody. Ends of a conversation by a socket move to the
// worker that watches, with each line, and leave the contents of their caches behind. (With a watch
// handed over after each slice, sftp, whose blocks of 32 KB count as one, had 160 MB/s instead of
// 240; after at most 200 us, a TLS handshake, whose signatures take longer, cost a third more
// processor time than on one worker.)
void Worker::hand_over_polling() {
  IoPoller& io = scheduler_.io_;
  if (io.armed() == 0 || io.claimed()) return;
  const uint64_t now = scheduler_.now_ns();
  if (!busy_since_ns_) busy_since_ns_ = now;
  if (now - busy_since_ns_ < hand_over_after_ns_) return;
  if (!handed_over_) scheduler_.first_report_ns_.store(0, std::memory_order_relaxed);
  if (scheduler_.wake_any()) handed_over_ = true;
}

void Worker::note_report() {
  std::atomic<uint64_t>& first = scheduler_.first_report_ns_;
  if (first.load(std::memory_order_relaxed)) return;
  first.store(scheduler_.now_ns(), std::memory_order_relaxed);
}

// It has nothing to run: was it worth while to wake another one for the descriptors?
void Worker::judge_hand_over() {
  busy_since_ns_ = 0;
  if (!std::exchange(handed_over_, false)) return;
  const uint64_t reported = scheduler_.first_report_ns_.load(std::memory_order_relaxed);
  const bool wasted = !reported || scheduler_.now_ns() - reported < kBusyNs;
  uint64_t& delay = hand_over_after_ns_;
  delay = wasted ? std::clamp(2 * delay, kBusyNs / 8, kLongBusyNs) : delay / 2;
}

// Strict priorities hold across workers, a tick late: no normal one runs here while another worker
// has max or high ones waiting.
void Worker::steal_urgent_work() {
  if (!online() || queue_.urgent()) return;
  for (uint32_t i = 0; i < scheduler_.worker_count(); ++i) {
    Worker& victim = scheduler_.worker(i);
    if (&victim == this || !victim.queue_.urgent()) continue;
    if (Runnable* r = queue_.steal_urgent(victim.queue_, 1)) return requeue_stolen(victim, r);
  }
}

// Busy workers never search; without this, one with ten runnables would stay beside one with one.
// A difference of one moves too, so three equal runnables share two workers equally in the end.
void Worker::balance() {
  if (!online()) return;
  counters.comparisons.add(1);
  if (queue_.urgent()) return balance_urgent();
  uint32_t longest = queue_length();
  Worker* victim = nullptr;
  for (uint32_t i = 0; i < scheduler_.worker_count(); ++i) {
    Worker& worker = scheduler_.worker(i);
    uint32_t length = &worker == this ? 0 : worker.queue_length();
    if (length > longest && worker.wants_help()) {
      longest = length;
      victim = &worker;
    }
  }
  if (!victim) return;
  requeue_stolen(*victim, queue_.steal_from(victim->queue_, (longest - queue_length() + 1) / 2));
}

// Whoever has max or high ones takes others of them only, and only from who has more: where its
// only one was taken from, normal ones would run although there are as many schedulers as urgent
// ones.
void Worker::balance_urgent() {
  uint32_t own = queue_.urgent_count(), most = own;
  Worker* victim = nullptr;
  for (uint32_t i = 0; i < scheduler_.worker_count(); ++i) {
    Worker& worker = scheduler_.worker(i);
    uint32_t count = &worker == this ? 0 : worker.queue_.urgent_count();
    if (count > most) {
      most = count;
      victim = &worker;
    }
  }
  if (victim) requeue_stolen(*victim, queue_.steal_urgent(victim->queue_, (most - own + 1) / 2));
}

void Worker::requeue_stolen(const Worker& victim, Runnable* r) {
  if (!r) return;
  counters.balances.add(1);
  note_steal(victim);
  enqueue(*r);
}

bool Worker::reclaim() {
  AccountedTime time(this, Account::aux);
  ThreadProgress::Entries passed = scheduler_.progress_.collect();
  if (passed.empty()) return false;
  counters.reclaimed.add(passed.size());
  ThreadProgress::run(passed);
  return true;
}

// --- sleeping ---

void Worker::sleep() {
  backlog_ = 0;
  crowded_.store(false, std::memory_order_relaxed);
  scheduler_.progress_.flush(index_);
  host_notified_ = scheduler_.notifies_of_sleep_.load(std::memory_order_relaxed);
  if (host_notified_) {
    scheduler_.host_.falls_asleep(*this);
    if (queue_length()) return;
  }
  if (scheduler_.oracle_->simulates()) return simulate_idle();
  park();
}

// Whoever begins to want to know where workers sleep either sees this one among the idle ones, or
// it sees that it is wanted and comes again.
bool Worker::may_sleep() {
  if (!host_notified_ && scheduler_.notifies_of_sleep_.load(std::memory_order_seq_cst))
    return false;
  return !scheduler_.stopping_.load(std::memory_order_seq_cst) && queue_.length() == 0 &&
         (!online() || !scheduler_.any_stealable());
}

/// What this thread has freed and keeps for itself goes back when it has run nothing for kIdleNs.
/// When to come again.
uint64_t Worker::empty_caches(uint64_t now) {
  const uint64_t slices = counters.slices.value();
  if (slices != idle_after_) idle_after_ = slices, idle_since_ns_ = now;
  if (now - idle_since_ns_ < kIdleNs) return idle_since_ns_ + kIdleNs;
  scheduler_.host_.has_been_idle(*this);
  emptied_after_ = slices;
  return TimerWheel::kNever;
}

void Worker::park() {
  ThreadProgress& progress = scheduler_.progress_;
  IoPoller& io = scheduler_.io_;
  const bool is_virtual = scheduler_.oracle_->has_virtual_time();
  ThreadProgress::Entries passed;
  bool polls = false;
  progress.offline(index_);
  woken_at_.store(0, std::memory_order_relaxed);  // before anybody can take it out of the idle ones
  scheduler_.idle_.add(index_);
  if (may_sleep()) {
    passed = progress.collect();
    uint64_t deadline = is_virtual ? TimerWheel::kNever : timers_.next_deadline_ns();
    bool keeps = !is_virtual && large_bytes_kept();
    bool empties = !is_virtual && !stepper_ && counters.slices.value() != emptied_after_;
    uint64_t now = deadline == TimerWheel::kNever && !keeps && !empties ? 0 : scheduler_.now_ns();
    if (keeps) {
      release_unused_large_blocks(now);
      deadline = std::min(deadline, now + kKeptLargeNs);
    }
    if (empties) deadline = std::min(deadline, empty_caches(now));
    if (passed.empty() && deadline > now) {
      polls = io.claim();
      counters.sleeps.add(1);
      mark_active(false);
      note(EventKind::asleep, 0);
      wait_parked(deadline == TimerWheel::kNever ? deadline : deadline - now, deadline,
                  polls ? &io : nullptr);
      mark_active(true);
      uint64_t now_ticks = note(EventKind::awake, 0);
      uint64_t woken_at = woken_at_.load(std::memory_order_relaxed);
      if (woken_at && woken_at < now_ticks) wakeup_times.add(now_ticks - woken_at);
    }
  }
  if (!scheduler_.idle_.remove(index_)) counted_ = true;
  scheduler_.wake_notice_.worker_awake();
  progress.online(index_);
  if (polls && dispatch_io()) note_report();
  counters.reclaimed.add(passed.size());
  ThreadProgress::run(passed);
}

void Worker::wait_parked(uint64_t timeout_ns, uint64_t deadline_ns, IoPoller* io) {
  if (WB_LIKELY(!stepper_)) return parker_.park(timeout_ns, io);
  if (!parker_.begin_poll()) return;
  stepper_->pause(deadline_ns);
  parker_.end_poll(*io);
}

// --- steps ---

void Worker::step_main(void* self) {
  Worker& w = *static_cast<Worker*>(self);
  w.loop();
  w.stepper_->state = Stepper::State::ended;
  w.stepper_->pause(TimerWheel::kNever);
}

bool Worker::step(uint64_t until_ns) {
  Stepper& s = *stepper_;
  if (s.state == Stepper::State::ended) return false;
  if (s.state == Stepper::State::fresh) {
    s.loop.reset(Fiber::make(step_main, this));
    if (!s.loop) return false;
    s.paused = s.loop.get();
    s.thread = pthread_self();
  }
  Fiber caller;
  s.caller = &caller;
  s.until_ns = until_ns;
  s.state = Stepper::State::running;
  Worker* const before = std::exchange(Scheduler::current_, this);
  caller.switch_to(*s.paused);
  Scheduler::current_ = before;
  if (s.state == Stepper::State::running) s.state = Stepper::State::paused;
  return true;
}

// The loop pauses for as long as the caller likes: nothing may wait for it meanwhile.
void Worker::pause_if_due() {
  if (scheduler_.now_ns() < stepper_->until_ns) return;
  ThreadProgress& progress = scheduler_.progress_;
  progress.flush(index_);
  progress.offline(index_);
  ThreadProgress::Entries passed = progress.collect();
  mark_active(false);
  stepper_->pause(0);
  mark_active(true);
  progress.online(index_);
  counters.reclaimed.add(passed.size());
  ThreadProgress::run(passed);
}

/// Has nobody to bring what would make somebody runnable? (Entries that not all have passed yet
/// may be callbacks: park() waits for those.)
bool Worker::nothing_to_come() {
  return scheduler_.io_.armed() == 0 && !scheduler_.progress_.pending() && !scheduler_.stopping();
}

// Services of the machine look at something each hour, for ever: after ten years nobody else will
// do anything.
constexpr uint64_t kEndOfVirtualTime = uint64_t{10} * 365 * 24 * 3600 * 1'000'000'000;

// Real time, kept in a recording: in its replay nobody sleeps.
void Worker::sleep_recorded() {
  park();
  scheduler_.oracle_->woke();
  tick_budget_ = 0;
  ticks_ = 0;  // how often it woke for nothing is not to be seen in what comes
}

// Virtual time: what can happen without the clock happens first, then the clock jumps. Only when
// nothing is left to wait for does the thread really sleep, for the outside.
void Worker::simulate_idle() {
  scheduler_.progress_.quiescent(index_);
  poll_io();
  if (reclaim() || queue_length() || scheduler_.simulate_dirty()) return;
  if (!scheduler_.oracle_->has_virtual_time()) return sleep_recorded();
  uint64_t deadline = timers_.next_deadline_ns();
  if (deadline > kEndOfVirtualTime) {
    Guide* guide = scheduler_.oracle_->guide();
    if (!guide || !nothing_to_come() || !guide->stuck(*this)) park();
    return;
  }
  scheduler_.oracle_->idle_until(deadline);
  tick_budget_ = 0;
}

}  // namespace wb
