// File descriptors that somebody waits for, in one epoll set.
//
// A watch is armed for one report: after its callback nothing comes until it is armed again, so an
// event goes to exactly one worker and a slow reader is not called twice. One watch a descriptor;
// who wants both directions asks for both events.
//
// At any time at most one worker has the claim to collect and dispatch: a sleeping one, which waits
// in epoll_wait instead of on its futex, or a busy one in passing. Descriptors are named to the
// kernel by number and generation, never by address, so an event that was already collected when
// its watch went away finds a newer generation and is dropped. `unwatch` waits for a callback that
// is running on another thread; when it returns the watch may be freed and the descriptor closed.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace wb {

class Recording;
class Worker;

struct FdWatch {
  using Ready = void (*)(Worker&, FdWatch&, uint32_t events);
  int fd = -1;
  Ready ready = nullptr;
};

class IoPoller {
 public:
  /// Of a recorded run, or of its replay, in which no descriptor is one of the system's: what
  /// reports is written to `recording`, or comes from there.
  explicit IoPoller(Recording* recording = nullptr);
  ~IoPoller();

  /// Arms `watch` for one report of `events` (EPOLLIN, EPOLLOUT ...; errors always count). 0 or
  /// errno: EPERM for files that are always ready.
  int watch(FdWatch& watch, uint32_t events);
  void unwatch(FdWatch& watch, bool on_worker);
  uint32_t armed() const { return armed_.load(std::memory_order_relaxed); }

  int descriptor() const { return epoll_; }  ///< readable when wait() would not wait

  // --- for workers ---
  bool claim() { return !claimed_.exchange(true, std::memory_order_acquire); }
  void release() { claimed_.store(false, std::memory_order_release); }
  bool claimed() const { return claimed_.load(std::memory_order_relaxed); }
  void wait(uint64_t timeout_ns);     ///< collects events; ~0: for ever
  uint32_t dispatch(Worker& worker);  ///< calls back for what was collected
  void interrupt();                   ///< ends a wait

 private:
  struct Entry {
    FdWatch* watch = nullptr;  ///< while armed
    uint32_t generation = 0;
    bool registered = false;
  };
  static constexpr int kEvents = 64;

  FdWatch* take_watch(uint64_t name);
  int arm(const Entry& entry, int fd, uint32_t events);
  void take_recorded();

  Recording* const recording_;
  int epoll_ = -1, wake_ = -1;
  std::atomic<bool> claimed_{false};
  std::atomic<uint32_t> armed_{0};
  std::atomic<FdWatch*> firing_{nullptr};
  std::atomic<Worker*> firing_on_{nullptr};
  std::mutex mutex_;
  std::vector<Entry> entries_;       ///< by descriptor, under mutex_
  epoll_event events_[kEvents + 1];  ///< with what wakes a replay
  int collected_ = 0;                ///< owned by the claim, as events_
};

}  // namespace wb
