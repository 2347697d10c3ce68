#include "vm/trace/watch.h"

#include "scheduler/scheduler.h"
#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/process.h"
#include "vm/trace/pattern.h"
#include "vm/trace/tracing.h"

namespace wb {

bool TraceWatch::admits() {
  if (!on()) return false;
  uint64_t now = vm_.scheduler->now_ns(), since = second_.load(std::memory_order_relaxed);
  if (now - since >= kSecond && second_.compare_exchange_strong(since, now)) in_second_.store(0);
  uint64_t n = in_second_.fetch_add(1, std::memory_order_relaxed);
  seen_.fetch_add(1, std::memory_order_relaxed);
  if (n < rate_.load(std::memory_order_relaxed)) return true;
  left_out_.fetch_add(1, std::memory_order_relaxed);
  if (n < kMostSeen) return false;
  overrun_.store(true, std::memory_order_relaxed);
  on_.store(false, std::memory_order_relaxed);
  return false;
}

void TraceWatch::add(const Process& p, const char* what, std::string peer, std::string text) {
  int64_t now = vm_.clock->os_system_ns() / 1000;
  std::lock_guard lock(lock_);
  lines_.push_back({next_++, now, p.id, what, std::move(peer), std::move(text)});
  bytes_ += bytes_of(lines_.back());
  for (; bytes_ > kMostBytes; lines_.pop_front()) bytes_ -= bytes_of(lines_.front());
}

// --- the observer's ------------------------------------------------------------------------------
int64_t TraceWatch::change(bool on) {
  Breakpoints& breakpoints = vm_.tracing->breakpoints;
  {
    auto lock = breakpoints.lock();
    breakpoints.watched = on ? calls_ : std::vector<FunctionPattern>();
  }
  PatternChange c;
  c.what = on ? PatternChange::on : PatternChange::off;
  c.watch = true;
  int64_t n = 0;
  for (const FunctionPattern& which : calls_) n += change_patterns(vm_, which, c);
  return n;
}

int64_t TraceWatch::begin(const std::vector<FunctionPattern>& calls, uint32_t rate, Wishes wishes) {
  returns_.store(wishes.returns, std::memory_order_relaxed);
  exits_.store(wishes.exits, std::memory_order_relaxed);
  {
    std::lock_guard lock(lock_);
    lines_.clear();
    bytes_ = 0;
  }
  seen_.store(0), left_out_.store(0), in_second_.store(0);
  overrun_.store(false);
  rate_.store(rate);
  calls_ = calls;
  on_.store(true);
  return change(true);
}

void TraceWatch::end() {
  on_.store(false);
  change(false);
  calls_.clear();
}

std::vector<TraceWatch::Line> TraceWatch::lines(uint64_t from, size_t most) {
  std::lock_guard lock(lock_);
  uint64_t first = next_ - lines_.size();
  size_t skip = from > first ? static_cast<size_t>(from - first) : 0;
  if (skip >= lines_.size()) return {};
  if (lines_.size() - skip > most) skip = lines_.size() - most;
  return {lines_.begin() + static_cast<ptrdiff_t>(skip), lines_.end()};
}
uint64_t TraceWatch::next() {
  std::lock_guard lock(lock_);
  return next_;
}
size_t TraceWatch::memory() {
  std::lock_guard lock(lock_);
  return bytes_;
}

}  // namespace wb
