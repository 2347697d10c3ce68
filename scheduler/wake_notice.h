// Who has nothing to do while no worker runs anything asks to be woken by the first that does.
//
// No wake-up is lost: who asks stores `asked_` and then looks whether all workers are among the
// idle ones (Scheduler::await_waking); a worker is taken out of these before it looks at `asked_`.
// All of it is sequentially consistent, so one of the two sees the other. The descriptor is
// written to under the lock: once withdraw() has returned nobody does.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/base.h"

namespace wb {

class WakeNotice {
 public:
  /// The next worker that wakes up writes to this eventfd, once.
  void ask(int fd) {
    std::lock_guard lock(mutex_);
    fd_ = fd;
    asked_.store(true, std::memory_order_seq_cst);
  }
  void withdraw() {
    std::lock_guard lock(mutex_);
    asked_.store(false, std::memory_order_relaxed);
  }
  /// By a worker that is no longer among the idle ones.
  void worker_awake() {
    if (WB_UNLIKELY(asked_.load(std::memory_order_seq_cst))) notify();
  }

 private:
  WB_COLD void notify() {
    std::lock_guard lock(mutex_);
    if (!asked_.exchange(false, std::memory_order_relaxed)) return;
    const uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(fd_, &one, sizeof one);  // its counter is not full
  }

  std::atomic<bool> asked_{false};
  std::mutex mutex_;
  int fd_ = -1;  ///< under mutex_
};

}  // namespace wb
