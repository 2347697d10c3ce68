#include "scheduler/thread_progress.h"

#include <sched.h>

#include <algorithm>

namespace wb {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

ThreadProgress::ThreadProgress(uint32_t workers)
    : workers_(workers), lines_(new Line[workers + kReaders]) {
  for (uint32_t i = workers; i < workers + kReaders; ++i) lines_[i].seen.store(kFree);
}

ThreadProgress::~ThreadProgress() { drain(); }

void ThreadProgress::drain() {
  // A callback may retire more.
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < workers_; ++i) flush(i);
    Entries entries = collect();
    more = !entries.empty();
    run(entries);
  }
}

void ThreadProgress::enter(Line& line) {
  line.seen.store(epoch_.load(memory_order_seq_cst), memory_order_seq_cst);
  line.seen.store(epoch_.load(memory_order_seq_cst), memory_order_release);
}

void ThreadProgress::online(uint32_t who) { enter(lines_[who]); }

void ThreadProgress::offline(uint32_t who) {
  lines_[who].seen.store(kOffline, memory_order_seq_cst);
}

void ThreadProgress::retire(void* object, Free free, uint32_t who) {
  if (who == kNobody) return when_all_passed(object, free, who);
  Entries& buffer = lines_[who].buffer;
  buffer.push_back({object, free});
  if (buffer.size() >= kBatch) flush(who);
}

void ThreadProgress::when_all_passed(void* argument, Free callback, uint32_t who) {
  submit({{argument, callback}});
}

void ThreadProgress::flush(uint32_t who) {
  Entries& buffer = lines_[who].buffer;
  if (buffer.empty()) return;
  submit(std::move(buffer));
  buffer = {};
}

void ThreadProgress::submit(Entries entries) {
  std::lock_guard guard(mutex_);
  uint64_t epoch = epoch_.fetch_add(1, memory_order_seq_cst) + 1;
  batches_.push_back({epoch, std::move(entries)});
  oldest_.store(batches_.front().epoch, memory_order_seq_cst);
}

ThreadProgress::Entries ThreadProgress::collect() {
  Entries passed;
  if (!pending()) return passed;
  std::lock_guard guard(mutex_);
  uint64_t least = kOffline;
  uint32_t lines = workers_ + readers_.load(memory_order_seq_cst);
  uint64_t wanted = batches_.empty() ? kOffline : batches_.front().epoch;
  for (uint32_t i = 0; i < lines && least >= wanted; ++i) {
    least = std::min(least, lines_[i].seen.load(memory_order_seq_cst));
  }
  while (!batches_.empty() && batches_.front().epoch <= least) {
    Entries& entries = batches_.front().entries;
    passed.insert(passed.end(), entries.begin(), entries.end());
    batches_.pop_front();
  }
  oldest_.store(batches_.empty() ? kOffline : batches_.front().epoch, memory_order_seq_cst);
  return passed;
}

void ThreadProgress::run(Entries& entries) {
  for (Entry& entry : entries) entry.free(entry.object);
  entries.clear();
}

ReaderGuard::ReaderGuard(ThreadProgress& progress) : progress_(progress) {
  for (;;) {
    for (uint32_t i = 0; i < ThreadProgress::kReaders; ++i) {
      // Before the line is used: who collects and misses this is seen by enter's second look.
      for (uint32_t used = progress.readers_.load(memory_order_seq_cst); used <= i;) {
        if (progress.readers_.compare_exchange_weak(used, i + 1, memory_order_seq_cst)) break;
      }
      line_ = &progress.lines_[progress.workers_ + i];
      uint64_t expected = ThreadProgress::kFree;
      if (line_->seen.load(memory_order_relaxed) == expected &&
          line_->seen.compare_exchange_strong(expected, 0, memory_order_seq_cst)) {
        progress.enter(*line_);
        return;
      }
    }
    sched_yield();
  }
}

ReaderGuard::~ReaderGuard() {
  line_->seen.store(ThreadProgress::kFree, memory_order_seq_cst);
  if (progress_.pending()) progress_.reclaim();
}

}  // namespace wb
