#include "vm/process/standstill.h"

#include "scheduler/scheduler.h"

namespace wb {

void Standstill::wait() {
  std::unique_lock lock(lock_);
  if (!on_) return;
  waiting_.fetch_add(1, std::memory_order_acq_rel);
  over_.wait(lock, [&] { return !on_; });
  waiting_.fetch_sub(1, std::memory_order_acq_rel);
}

void Standstill::begin() {
  std::lock_guard lock(lock_);
  on_ = true;
}

void Standstill::end() {
  std::lock_guard lock(lock_);
  on_ = false;
  over_.notify_all();
}

bool Standstill::reached(Scheduler& s) const {
  uint32_t asleep = 0;
  const uint32_t all = s.all_worker_count();
  for (uint32_t i = 0; i < all; ++i) asleep += s.worker(i).asleep();
  return asleep + waiting_.load(std::memory_order_acquire) >= all;
}

}  // namespace wb
