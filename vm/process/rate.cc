#include "vm/process/rate.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/group.h"
#include "vm/process/table.h"

namespace wb {

/// Nobody waits any more; the timer may be firing.
Rate::~Rate() {
  {
    std::lock_guard guard(lock_);
    ends_ = true;
  }
  if (timer_.owner != Timer::kNeverStarted) vm_.scheduler->cancel_timer(timer_);
}

void Rate::spend(uint64_t now_ns, uint64_t n) {
  const auto cost = static_cast<uint64_t>(static_cast<unsigned __int128>(n) * kSecond / per_second);
  const uint64_t oldest = now_ns - std::min(now_ns, kSaved);
  uint64_t paid = paid_until_.load(std::memory_order_relaxed);
  while (!paid_until_.compare_exchange_weak(paid, std::max(paid, oldest) + cost,
                                            std::memory_order_relaxed)) {
  }
}

bool Rate::wait(const Process& p) {
  std::lock_guard guard(lock_);
  const uint64_t now = vm_.scheduler->now_ns();
  if (is_due(now)) return false;
  line_.push_back(p.id);
  start_timer(now);
  return true;
}

/// The lock is held.
void Rate::start_timer(uint64_t now_ns) {
  if (running_ || ends_) return;
  running_ = true;
  timer_.rate = this;
  constexpr uint64_t kTick = 1'000'000;
  const uint64_t when = std::max(paid_until_.load(std::memory_order_relaxed), now_ns + kTick);
  vm_.scheduler->start_timer(timer_, when, fire);
}

void Rate::fire(Worker&, Timer& timer) { static_cast<Waking&>(timer).rate->resume_some(); }

void Rate::resume_some() {
  std::vector<Process*> some;
  {
    std::lock_guard guard(lock_);
    running_ = false;
    const uint64_t now = vm_.scheduler->now_ns(),
                   paid = paid_until_.load(std::memory_order_relaxed);
    if (paid <= now) {
      const uint64_t left = std::min(now - paid, kSaved);
      const auto spendable =
          static_cast<uint64_t>(static_cast<unsigned __int128>(left) * per_second / kSecond);
      for (uint64_t most = 1 + spendable / unit_; some.size() < most && !line_.empty();) {
        if (Process* p = vm_.processes->find(line_.front())) some.push_back(p);
        line_.pop_front();
      }
    }
    if (!line_.empty()) start_timer(now);
  }
  for (Process* p : some) GroupMember::of(*p).resume(*p);
}

}  // namespace wb
