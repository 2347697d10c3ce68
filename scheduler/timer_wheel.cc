#include "scheduler/timer_wheel.h"

#include <bit>
#include <mutex>

namespace wb {
namespace {

void make_empty(TimerLink& list) { list.next = list.prev = &list; }
bool is_empty(const TimerLink& list) { return list.next == &list; }

void append(TimerLink& list, TimerLink& link) {
  link.prev = list.prev;
  link.next = &list;
  list.prev->next = &link;
  list.prev = &link;
}

void unlink(TimerLink& link) {
  link.prev->next = link.next;
  link.next->prev = link.prev;
  link.next = link.prev = nullptr;
}

// Moves all of `from` to the end of `to`.
void splice(TimerLink& to, TimerLink& from) {
  if (is_empty(from)) return;
  from.next->prev = to.prev;
  to.prev->next = from.next;
  from.prev->next = &to;
  to.prev = from.prev;
  make_empty(from);
}

}  // namespace

TimerWheel::TimerWheel(uint64_t now_ns) : now_(now_ns / kTickNs) {
  make_empty(due_);
  make_empty(cascade_);
  for (auto& level : slots_) {
    for (TimerLink& slot : level) make_empty(slot);
  }
}

void TimerWheel::start(Timer& timer) {
  std::lock_guard guard(lock_);
  count_.store(count() + 1, std::memory_order_relaxed);
  uint64_t tick = timer.tick();
  if (tick < next_.load(std::memory_order_relaxed)) next_.store(tick, std::memory_order_relaxed);
  // While a slot moves down what is started now must stay behind it.
  if (is_empty(cascade_)) {
    insert(timer);
  } else {
    append(cascade_, timer);
  }
}

void TimerWheel::insert(Timer& timer) {
  uint64_t tick = timer.tick();
  if (tick <= now_) return append(due_, timer);
  int level = (63 - std::countl_zero(tick ^ now_)) / kBits;
  int slot = int(tick >> (level * kBits)) & (kSlots - 1);
  occupied_[level] |= uint64_t{1} << slot;
  append(slots_[level][slot], timer);
}

bool TimerWheel::cancel(Timer& timer, const Worker* here) {
  {
    std::lock_guard guard(lock_);
    if (timer.next) {
      unlink(timer);
      count_.store(count() - 1, std::memory_order_relaxed);
      return true;
    }
  }
  for (unsigned spins = 0; firing_.load(std::memory_order_acquire) == &timer; ++spins) {
    if (here && firing_on_.load(std::memory_order_relaxed) == here) break;  // by its callback
    if (spins < 64) {
      cpu_relax();
    } else {
      sched_yield();
    }
  }
  return false;
}

uint32_t TimerWheel::advance(uint64_t now_ns, uint32_t budget, Worker& worker) {
  if (advancing_.exchange(true, std::memory_order_acquire)) return 0;
  firing_on_.store(&worker, std::memory_order_relaxed);
  uint32_t fired = 0;
  while (Timer* timer = take_due(now_ns / kTickNs, budget)) {
    timer->fire(worker, *timer);
    firing_.store(nullptr, std::memory_order_release);
    ++fired;
  }
  advancing_.store(false, std::memory_order_release);
  return fired;
}

// The next to fire at or before `tick`, marked as firing; nullptr: none, or the budget is spent.
Timer* TimerWheel::take_due(uint64_t tick, uint32_t& budget) {
  std::lock_guard guard(lock_);
  for (; budget; --budget) {
    if (!is_empty(due_)) {
      Timer* timer = static_cast<Timer*>(due_.next);
      unlink(*timer);
      count_.store(count() - 1, std::memory_order_relaxed);
      firing_.store(timer, std::memory_order_relaxed);
      --budget;
      return timer;
    }
    if (!is_empty(cascade_)) {
      Timer* timer = static_cast<Timer*>(cascade_.next);
      unlink(*timer);
      insert(*timer);
      continue;
    }
    SlotPosition position = next_slot();
    if (position.tick > tick) {
      if (tick > now_) now_ = tick;
      next_.store(position.tick, std::memory_order_relaxed);
      return nullptr;
    }
    now_ = position.tick;
    occupied_[position.level] &= ~(uint64_t{1} << position.slot);
    splice(position.level == 0 ? due_ : cascade_, slots_[position.level][position.slot]);
  }
  return nullptr;
}

uint64_t TimerWheel::next_deadline_ns() {
  std::lock_guard guard(lock_);
  if (!is_empty(due_) || !is_empty(cascade_)) return 0;
  SlotPosition position = next_slot();
  return position.tick > kNever / kTickNs ? kNever : position.tick * kTickNs;
}

// A lower level's slots all lie before a higher level's next one, so the first found is the next.
TimerWheel::SlotPosition TimerWheel::next_slot() {
  for (int level = 0; level < kLevels; ++level) {
    SlotPosition position = next_in_level(level);
    if (position.level >= 0) return position;
  }
  return {};
}

TimerWheel::SlotPosition TimerWheel::next_in_level(int level) {
  int shift = level * kBits;
  int here = int(now_ >> shift) & (kSlots - 1);
  uint64_t round = now_ >> shift >> kBits << kBits;  // this level's first slot, in its own units
  // All occupied slots lie after the wheel's own position: what is not after it is not here.
  while (uint64_t bits = occupied_[level] & ~((uint64_t{2} << here) - 1)) {
    int slot = std::countr_zero(bits);
    if (!is_empty(slots_[level][slot])) return {level, slot, (round | uint64_t(slot)) << shift};
    occupied_[level] &= ~(uint64_t{1} << slot);
  }
  return {};
}

}  // namespace wb
