#include "scheduler/dirty_pool.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/base.h"
#include "base/cannot_start.h"
#include "base/recording.h"
#include "scheduler/cpu_count.h"
#include "scheduler/run_queue.h"
#include "scheduler/spin_lock.h"

namespace wb {

// --- the queue -----------------------------------------------------------------------------------
void DirtyQueue::List::append(DirtyJob& job) {
  job.next = nullptr;
  (last ? last->next : first) = &job;
  last = &job;
}
DirtyJob* DirtyQueue::List::pop_front() {
  DirtyJob* job = first;
  if (job && !(first = job->next)) last = nullptr;
  return job;
}
bool DirtyQueue::List::remove(DirtyJob& job) {
  DirtyJob *before = nullptr, *j = first;
  for (; j != &job; before = j, j = j->next) {
    if (!j) return false;
  }
  (before ? before->next : first) = job.next;
  if (last == &job) last = before;
  return true;
}

void DirtyQueue::push(DirtyJob& job) { lists_[job.priority].append(job); }
bool DirtyQueue::remove(DirtyJob& job) { return lists_[job.priority].remove(job); }
bool DirtyQueue::empty() const {
  return std::ranges::none_of(lists_, [](const List& l) { return l.first; });
}
DirtyJob* DirtyQueue::pop() {
  for (uint8_t urgent : {Runnable::kMax, Runnable::kHigh}) {
    if (DirtyJob* job = lists_[urgent].pop_front()) return job;
  }
  List &normal = lists_[Runnable::kNormal], &low = lists_[Runnable::kLow];
  if (!low.first || (normal.first && ++passed_over_ < RunQueue::kLowInterval))
    return normal.pop_front();
  passed_over_ = 0;
  return low.pop_front();
}

// --- the pool ------------------------------------------------------------------------------------
constexpr std::chrono::microseconds kLook(60);  ///< how long a thread looks before it sleeps
constexpr uint64_t kSoonNs = 60'000;            ///< if its last job came so soon

DirtyPool::DirtyPool(const char* name, uint32_t limit) : name_(name), limit_(limit ? limit : 1) {}

void DirtyPool::submit(DirtyJob& job) {
  std::lock_guard guard(mutex_);
  queue_.push(job);
  ++waiting_;
  if (wants_thread()) grow();
  if (waiting_ > looking_) arrived_.notify_one();
}

bool DirtyPool::withdraw(DirtyJob& job) {
  std::lock_guard guard(mutex_);
  bool found = queue_.remove(job);
  waiting_ -= found;
  return found;
}

bool DirtyPool::wants_thread() const {
  return waiting_ > idle_ && threads_.size() < online_ && !stopping_;
}

void DirtyPool::grow() {
  char name[16];
  snprintf(name, sizeof name, "%s-%u", name_, unsigned(threads_.size() % 1000 + 1));
  auto thread = std::make_unique<Thread>();
  if (thread->start(name, thread_main, this)) {
    threads_.push_back(std::move(thread));
  } else if (threads_.empty()) {
    cannot_start("no thread for long native work", errno);
  }
}

/// Looks for a job without sleeping, as long as it takes to wake a thread: jobs that come one after
/// the other, each short, find one that is awake. The caller counts as idle.
static void look_awhile(std::unique_lock<std::mutex>& lock, const std::atomic<uint32_t>& waiting) {
  lock.unlock();
  const auto until = std::chrono::steady_clock::now() + kLook;
  const auto has_job = [&] { return waiting.load(std::memory_order_relaxed) != 0; };
  for (int round = 0; !has_job() && std::chrono::steady_clock::now() < until; ++round) {
    for (int k = 0; k < 16 && !has_job(); ++k) cpu_relax();
    if (round > 32) sched_yield();  // somebody else may need the processor
  }
  lock.lock();
}

void DirtyPool::serve() {
  const bool alone = usable_cpus() == 1;
  bool soon = false;  // did the last job come soon after the one before?
  std::unique_lock lock(mutex_);
  BusyTime& busy = busy_[serving_++];
  for (;;) {
    const uint64_t since = now_ns();
    const auto has_job = [&] { return (!queue_.empty() && running_ < online_) || stopping_; };
    if (!has_job()) {
      ++idle_;
      if (soon && !alone) {
        ++looking_;
        look_awhile(lock, waiting_);
        --looking_;
      }
      while (!has_job()) arrived_.wait(lock);
      --idle_;
      soon = now_ns() - since < kSoonNs;
    }
    if (stopping_) return;
    DirtyJob& job = *queue_.pop();
    --waiting_;
    ++running_;
    lock.unlock();
    busy.mark(true, now_ns());
    job.execute();
    busy.mark(false, now_ns());
    lock.lock();
    --running_;
    ++done_;
  }
}

void DirtyPool::stop() {
  std::vector<std::unique_ptr<Thread>> threads;
  {
    std::lock_guard guard(mutex_);
    stopping_ = true;
    queue_ = {};
    waiting_ = 0;
    serving_ = 0;
    threads.swap(threads_);
  }
  arrived_.notify_all();
  threads.clear();  // joins
  std::lock_guard guard(mutex_);
  stopping_ = false;
}

uint32_t DirtyPool::set_online(uint32_t threads) {
  uint32_t before;
  {
    std::lock_guard guard(mutex_);
    before = std::exchange(online_, std::clamp(threads, 1u, limit_));
    for (size_t n = threads_.size(); n < online_ && wants_thread(); ++n) grow();
  }
  arrived_.notify_all();
  return before;
}

uint32_t DirtyPool::online() {
  std::lock_guard guard(mutex_);
  return online_;
}

// What programs are told of these threads is no choice of the worker's: a recorded run keeps it.
static uint64_t kept(uint64_t n) {
  Recording* const r = recording_here();
  return WB_LIKELY(!r) ? n : r->number(Input::threads, n);
}

uint32_t DirtyPool::threads() {
  std::lock_guard guard(mutex_);
  return uint32_t(kept(threads_.size()));
}

uint32_t DirtyPool::waiting() {
  std::lock_guard guard(mutex_);
  return uint32_t(kept(waiting_));
}

DirtyPool::Use DirtyPool::use() {
  std::lock_guard guard(mutex_);
  return {uint32_t(kept(threads_.size())), online_, uint32_t(kept(running_)),
          uint32_t(kept(waiting_)), kept(done_)};
}

uint64_t DirtyPool::busy_ns(uint32_t i, uint64_t now_ns) const { return kept(busy_[i].ns(now_ns)); }

uint64_t DirtyPool::now_ns() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace wb
