// Children that the machine has made itself, for ports. That one of them has ended is known by
// other means (vm/port/reaper.h); its SIGCHLD is nobody's business, where a program handles that
// signal: on BEAM such children are another process'. The kernel makes every program that is
// executed send SIGCHLD, whatever it was cloned with, so the signal is looked at when it has come.
//
// A signal may come long after its child was waited for, and before whoever makes the child knows
// its number: add() keeps the lock until it does, and the last that have ended are remembered.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <mutex>
#include <unordered_set>

namespace wb {

class KnownChildren {
 public:
  /// `make` returns the number of a new child, or one below 1.
  template <class F>
  pid_t add(F make) {
    std::lock_guard lock(lock_);
    const pid_t pid = make();
    if (pid > 0) alive_.insert(pid);
    return pid;
  }
  /// It has been waited for.
  void ended(pid_t pid) {
    std::lock_guard lock(lock_);
    if (alive_.erase(pid) != 0) ended_[next_++ % ended_.size()] = pid;
  }
  /// Is this SIGCHLD of one of them?
  bool have_sent(const siginfo_t& info) {
    if (info.si_signo != SIGCHLD || info.si_code <= 0) return false;  // not by the kernel
    std::lock_guard lock(lock_);
    return alive_.contains(info.si_pid) ||
           std::find(ended_.begin(), ended_.end(), info.si_pid) != ended_.end();
  }

 private:
  std::mutex lock_;
  std::unordered_set<pid_t> alive_;
  std::array<pid_t, 64> ended_{};
  size_t next_ = 0;
};

}  // namespace wb
