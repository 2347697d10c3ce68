#include "vm/ets/deferred_free.h"

namespace wb {

DeferredFree::~DeferredFree() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void DeferredFree::add(std::unique_ptr<DetachedObjects> detached, uint64_t objects) {
  if (objects <= kSmall) return;  // freed as it goes out of scope
  std::lock_guard lock(mutex_);
  auto work = [](void* self) { static_cast<DeferredFree*>(self)->work(); };
  if (!thread_.running() && !thread_.start("wb-graves", work, this)) return;  // freed here, then
  waiting_.push_back(std::move(detached));
  wake_.notify_one();
}

void DeferredFree::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<std::unique_ptr<DetachedObjects>> batch = std::move(waiting_);
    waiting_.clear();
    lock.unlock();
    batch.clear();
    lock.lock();
  }
}

}  // namespace wb
