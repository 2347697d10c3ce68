#include "vm/ets/graveyard.h"

namespace wb {

Graveyard::~Graveyard() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Graveyard::bury(std::unique_ptr<Corpse> corpse, uint64_t objects) {
  if (objects <= kSmall) return;  // freed as it goes out of scope
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(corpse));
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  wake_.notify_one();
}

void Graveyard::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<std::unique_ptr<Corpse>> batch = std::move(waiting_);
    waiting_.clear();
    lock.unlock();
    batch.clear();
    lock.lock();
  }
}

}  // namespace wb
