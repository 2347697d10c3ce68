#include "scheduler/io_poller.h"

#include <errno.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/cannot_start.h"
#include "base/recording.h"
#include "scheduler/scheduler.h"

namespace wb {
namespace {

constexpr uint64_t kWakeName = ~uint64_t{0};

// epoll_pwait2 knows nanoseconds; a kernel before 5.11 gets milliseconds, rounded up.
int epoll_wait_ns(int epoll, epoll_event* events, int room, uint64_t ns) {
  constexpr uint64_t kSecond = 1'000'000'000, kLongest = kSecond * 1'000'000;
  if (ns > kLongest && ns != ~uint64_t{0}) ns = kLongest;
  timespec timeout = {time_t(ns / kSecond), long(ns % kSecond)};
#ifdef SYS_epoll_pwait2
  long n = syscall(SYS_epoll_pwait2, epoll, events, room, ns == ~uint64_t{0} ? nullptr : &timeout,
                   nullptr, 0);
  if (n >= 0 || errno != ENOSYS) return int(n);
#endif
  uint64_t ms = (ns + 999'999) / 1'000'000;
  return epoll_wait(epoll, events, room,
                    ns == ~uint64_t{0} ? -1
                    : ms > INT32_MAX   ? INT32_MAX
                                       : int(ms));
}

uint64_t name_of(int fd, uint32_t generation) { return uint64_t(generation) << 32 | uint32_t(fd); }

}  // namespace

IoPoller::IoPoller(Recording* recording) : recording_(recording) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || wake_ < 0) {
    cannot_start("no file descriptor for polling", errno);
  }
  epoll_event event = {EPOLLIN, {.u64 = kWakeName}};
  WB_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) == 0);
}

IoPoller::~IoPoller() {
  close(epoll_);
  close(wake_);
}

int IoPoller::arm(const Entry& entry, int fd, uint32_t events) {
  epoll_event event = {events | EPOLLONESHOT, {.u64 = name_of(fd, entry.generation)}};
  // A closed and reopened descriptor has left the set behind our back; hence the second attempt.
  int op = entry.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  int failed = epoll_ctl(epoll_, op, fd, &event);
  if (failed && (errno == ENOENT || errno == EEXIST)) {
    op = op == EPOLL_CTL_MOD ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    failed = epoll_ctl(epoll_, op, fd, &event);
  }
  return failed;
}

int IoPoller::watch(FdWatch& watch, uint32_t events) {
  if (watch.fd < 0) return EBADF;
  std::lock_guard guard(mutex_);
  if (size_t(watch.fd) >= entries_.size()) entries_.resize(size_t(watch.fd) + 16);
  Entry& entry = entries_[size_t(watch.fd)];
  ++entry.generation;
  auto arm_it = [&] { return arm(entry, watch.fd, events); };
  const bool failed =
      (WB_UNLIKELY(recording_ != nullptr) ? recording_->call(arm_it) : arm_it()) != 0;
  if (entry.watch) armed_.fetch_sub(1, std::memory_order_relaxed);
  entry.watch = failed ? nullptr : &watch;
  entry.registered = !failed;
  if (failed) return errno;
  armed_.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

void IoPoller::unwatch(FdWatch& watch, bool on_worker) {
  {
    std::lock_guard guard(mutex_);
    if (watch.fd >= 0 && size_t(watch.fd) < entries_.size()) {
      Entry& entry = entries_[size_t(watch.fd)];
      if (entry.watch == &watch) armed_.fetch_sub(1, std::memory_order_relaxed);
      if (entry.watch == &watch || !entry.watch) {
        const bool is_real = !recording_ || !recording_->replays();
        if (entry.registered && is_real) epoll_ctl(epoll_, EPOLL_CTL_DEL, watch.fd, nullptr);
        ++entry.generation;
        entry.watch = nullptr;
        entry.registered = false;
      }
    }
  }
  if (on_worker && firing_on_.load(std::memory_order_relaxed) == Scheduler::current()) return;
  while (firing_.load(std::memory_order_acquire) == &watch) sched_yield();
}

void IoPoller::wait(uint64_t timeout_ns) {
  if (WB_UNLIKELY(recording_ != nullptr)) timeout_ns = recording_->sleep_at_most(timeout_ns);
  collected_ = epoll_wait_ns(epoll_, events_, kEvents, timeout_ns);
  if (collected_ < 0) collected_ = 0;
  if (WB_UNLIKELY(recording_ != nullptr)) take_recorded();
}

/// In a replay only what wakes this thread is real.
void IoPoller::take_recorded() {
  std::vector<Recording::Report> reports;
  int woken = 0;
  for (int i = 0; i < collected_; ++i) {
    if (events_[i].data.u64 == kWakeName)
      events_[woken++] = events_[i];
    else
      reports.push_back({events_[i].data.u64, events_[i].events});
  }
  recording_->reports(&reports);
  collected_ = woken;
  for (const Recording::Report& r : reports) {
    if (collected_ <= kEvents) events_[collected_++] = {r.events, {.u64 = r.name}};
  }
}

FdWatch* IoPoller::take_watch(uint64_t name) {
  std::lock_guard guard(mutex_);
  if (uint32_t(name) >= entries_.size()) return nullptr;  // of a damaged recording
  Entry& entry = entries_[uint32_t(name)];
  if (entry.generation != uint32_t(name >> 32) || !entry.watch) return nullptr;
  FdWatch* watch = entry.watch;
  entry.watch = nullptr;
  armed_.fetch_sub(1, std::memory_order_relaxed);
  firing_on_.store(Scheduler::current(), std::memory_order_relaxed);
  firing_.store(watch, std::memory_order_relaxed);
  return watch;
}

uint32_t IoPoller::dispatch(Worker& worker) {
  uint32_t called = 0;
  for (int i = 0; i < collected_; ++i) {
    if (events_[i].data.u64 == kWakeName) {
      uint64_t count;
      [[maybe_unused]] ssize_t n = read(wake_, &count, sizeof count);
      continue;
    }
    FdWatch* watch = take_watch(events_[i].data.u64);
    if (!watch) continue;
    watch->ready(worker, *watch, events_[i].events);
    firing_.store(nullptr, std::memory_order_release);
    ++called;
  }
  firing_on_.store(nullptr, std::memory_order_relaxed);
  collected_ = 0;
  return called;
}

void IoPoller::interrupt() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t n = write(wake_, &one, sizeof one);
}

}  // namespace wb
