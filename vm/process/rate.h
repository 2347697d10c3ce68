// So many of something a second: what a group may spend, and who waits until it may spend more.
//
// The account is one word, the moment until which what was spent is paid: spending n moves it on by
// n / rate seconds. As long as it lies in the past there is something left. It never lies more
// than kSaved before now, so what was not used is worth a tenth of a second and no more. Who
// spends pays afterwards: a slice that has begun is not cut short, and what it took too much those
// after it wait for. So over any time the rate is kept, but for one slice a worker.
//
// Who finds the account in the future waits in a line. When it has come to the present a timer
// resumes as many from the front as there is something for, at least one; they ask once more, and
// stand at the end if they were too many.
//
// Threads: spend() and is_due() by anybody, without a lock; the line has a lock.
//
// Rejected: a counter that is set back every second (a group would run a burst of its whole second
// and then stand still); a timer a process (thousands would wake up for what is enough for one).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "base/ranked_lock.h"
#include "scheduler/timer_wheel.h"
#include "term/term.h"

namespace wb {

class Process;
class Vm;

class Rate {
 public:
  /// `unit`: about what one spends at a time. `per_second` 0: no limit.
  Rate(Vm& vm, uint64_t per_second, uint32_t unit) : per_second(per_second), unit_(unit), vm_(vm) {}
  ~Rate();
  Rate(const Rate&) = delete;

  const uint64_t per_second;
  bool is_due(uint64_t now_ns) const {
    return paid_until_.load(std::memory_order_relaxed) <= now_ns;
  }
  void spend(uint64_t now_ns, uint64_t n);
  void outlive() { timer_.owner = Timer::kNeverStarted; }  ///< the scheduler is gone
  /// `p`, which runs, stands in the line. False: there is something left meanwhile.
  bool wait(const Process& p);

 private:
  static constexpr uint64_t kSaved = 100'000'000, kSecond = 1'000'000'000;
  struct Waking : Timer {
    Rate* rate = nullptr;
  };
  static void fire(Worker& w, Timer& timer);
  void start_timer(uint64_t now_ns);
  void resume_some();

  const uint32_t unit_;
  Vm& vm_;
  std::atomic<uint64_t> paid_until_{0};
  RankedLock<LockRank::rate> lock_;
  std::deque<Term> line_;  ///< pids; some may have ended
  Waking timer_;
  bool running_ = false;  ///< the timer is
  bool ends_ = false;     ///< it is not started again
};

}  // namespace wb
