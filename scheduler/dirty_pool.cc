#include "scheduler/dirty_pool.h"

#include <cerrno>
#include <cstdio>

#include "base/base.h"
#include "base/cannot_start.h"

namespace wb {

DirtyPool::DirtyPool(const char* name, uint32_t limit) : name_(name), limit_(limit ? limit : 1) {}

void DirtyPool::submit(DirtyJob& job) {
  std::lock_guard guard(mutex_);
  queue_.push(job);
  ++waiting_;
  if (waiting_ > idle_ && threads_.size() < limit_ && !stopping_) grow();
  arrived_.notify_one();
}

bool DirtyPool::withdraw(DirtyJob& job) {
  std::lock_guard guard(mutex_);
  bool found = queue_.remove(job);
  waiting_ -= found;
  return found;
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

void DirtyPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (!queue_.first && !stopping_) {
      ++idle_;
      arrived_.wait(lock);
      --idle_;
    }
    if (stopping_) return;
    DirtyJob& job = *queue_.pop();
    --waiting_;
    lock.unlock();
    job.execute();
    lock.lock();
  }
}

void DirtyPool::stop() {
  std::vector<std::unique_ptr<Thread>> threads;
  {
    std::lock_guard guard(mutex_);
    stopping_ = true;
    queue_ = {};
    waiting_ = 0;
    threads.swap(threads_);
  }
  arrived_.notify_all();
  threads.clear();  // joins
  std::lock_guard guard(mutex_);
  stopping_ = false;
}

uint32_t DirtyPool::threads() {
  std::lock_guard guard(mutex_);
  return uint32_t(threads_.size());
}

uint32_t DirtyPool::waiting() {
  std::lock_guard guard(mutex_);
  return waiting_;
}

}  // namespace wb
