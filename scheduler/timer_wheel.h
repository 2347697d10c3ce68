// A hierarchical timer wheel: a million timers, start and cancel in O(1), no allocation.
//
// Time is cut into ticks of a millisecond; a deadline is rounded up to its tick, so a timer never
// fires early. Eight levels of 64 slots: a timer stands on the level of the highest group of six
// bits in which its tick differs from the wheel's, in the slot its own group names. When the wheel
// reaches the beginning of a slot above level 0, the slot's timers move down ("cascade"), at most
// seven times in a timer's life. Because that happens before anything later can be started on the
// level below, timers of the same tick fire in the order in which they were started.
//
// Slots are circular lists, so a timer leaves its list without knowing which one it is. A bit per
// slot finds the next occupied one; a cancel leaves the bit set and the next search clears it.
// Moving a slot down splices its whole list into `cascade_` and drains it by a budget: a million
// timers in one slot do not hold up the worker.
//
// Each worker has a wheel and fires its timers between slices, on its own thread. When it is late,
// for its slice is a long one or the system runs something else in its place, another worker
// advances the wheel (help_late_timers): one at a time, so the order stays. Anybody may start or
// cancel, under the wheel's spin lock. `cancel` of a timer whose callback is just running on
// another thread waits for it, so when `cancel` returns the timer may be freed or used again. Hence
// a callback must not wait for anything a canceller may hold. Rejected: sending cancels to the
// owner (the memory of the timer would have to outlive the answer) and a heap (O(log n), a million
// pointers to shuffle, no order among equals).
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/spin_lock.h"

namespace wb {

class Worker;

struct TimerLink {
  TimerLink* next = nullptr;
  TimerLink* prev = nullptr;
};

struct Timer : TimerLink {
  using Fire = void (*)(Worker&, Timer&);
  static constexpr uint16_t kNeverStarted = 0xffff;

  uint64_t deadline_ns = 0;
  Fire fire = nullptr;
  uint16_t owner = kNeverStarted;  ///< the worker in whose wheel it is or was

  uint64_t tick() const { return deadline_ns / 1'000'000 + (deadline_ns % 1'000'000 != 0); }
};

class TimerWheel {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  explicit TimerWheel(uint64_t now_ns);

  /// `timer` must not be running; deadline_ns and fire are set.
  void start(Timer& timer);
  /// True: it was stopped before it fired. False: it is not running any more. `here`: the worker
  /// whose thread this is, if any (perhaps called from the callback itself).
  bool cancel(Timer& timer, const Worker* here);

  /// Advances the wheel to `now_ns` and fires what is due upon `worker`, at most `budget` steps of
  /// work. Returns the number fired; none while somebody else is at it.
  uint32_t advance(uint64_t now_ns, uint32_t budget, Worker& worker);
  /// Is something due that should have fired by then? From any thread; perhaps true for nothing.
  bool late(uint64_t then_ns) const {
    return next_.load(std::memory_order_relaxed) <= then_ns / kTickNs;
  }
  /// No timer fires before; kNever when there is none. A lower bound: the wheel may have to advance
  /// earlier to move timers down.
  uint64_t next_deadline_ns();
  /// Nothing started? Readable by anyone.
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kTickNs = 1'000'000;
  static constexpr int kBits = 6, kSlots = 1 << kBits, kLevels = 8;
  struct SlotPosition {
    int level = -1;
    int slot = 0;
    uint64_t tick = kNever;  ///< when its slot begins
  };

  void insert(Timer& timer);
  Timer* take_due(uint64_t tick, uint32_t& budget);
  SlotPosition next_slot();
  SlotPosition next_in_level(int level);

  SpinLock lock_;
  uint64_t now_;       ///< the last tick the wheel was turned to
  TimerLink due_;      ///< to fire, in order
  TimerLink cascade_;  ///< to be inserted again, lower
  uint64_t occupied_[kLevels] = {};
  TimerLink slots_[kLevels][kSlots];
  std::atomic<Timer*> firing_{nullptr};
  std::atomic<const Worker*> firing_on_{nullptr};
  std::atomic<bool> advancing_{false};
  std::atomic<uint64_t> count_{0};      ///< written under lock_
  std::atomic<uint64_t> next_{kNever};  ///< nothing is due before this tick; written under lock_
};

}  // namespace wb
