// The runnables of one worker: max before high before one round robin of normal and low.
//
// Normal and low share a list. A low one that comes to its front is passed over seven times and
// runs the eighth, so it gets an eighth of what each normal one gets, however many there are. When
// no normal one stands in the list there is nobody to give way to and low ones just run.
//
// The owner pushes and pops, anybody may push, thieves take from the front. A short spin lock
// covers the links. Rejected: a Chase-Lev deque (the owner's end is LIFO, no priorities, a fixed
// ring needs an overflow list anyway) and a separate inbox for other threads (what stands there
// cannot be stolen). Lengths are readable without the lock; `push` publishes its length with
// sequential consistency because the argument against lost wake-ups needs it (scheduler.h).
#pragma once

#include <atomic>

#include "scheduler/oracle.h"
#include "scheduler/runnable.h"
#include "scheduler/spin_lock.h"

namespace wb {

class RunQueue {
 public:
  static constexpr uint8_t kLowInterval = 8;    ///< a low runnable runs at every eighth pass
  static constexpr uint32_t kStealLimit = 64;   ///< most that one steal takes
  static constexpr uint32_t kChoiceLimit = 64;  ///< a seeded choice is among the first so many

  void push(Runnable& r);
  Runnable* pop(Oracle& oracle);

  /// Moves work from `victim` here: one max or high, else up to `wanted` (at most half, rounded up)
  /// of the normal list. Returns one to run now, or nullptr.
  Runnable* steal_from(RunQueue& victim, uint32_t wanted = kStealLimit);
  /// The same of max and high ones: up to `wanted` of them, and none of the others.
  Runnable* steal_urgent(RunQueue& victim, uint32_t wanted);

  /// If `r` stands here, it gets at least the effective priority `to`. False: it is not here. (The
  /// lock is taken even where nothing stands: who queues `r` here next sees what the caller wrote
  /// before.)
  bool boost(Runnable& r, uint8_t to);

  /// Takes out some runnable that is not pinned, or nullptr.
  Runnable* take_movable();

  uint32_t length() const { return uint32_t(lengths_.load(std::memory_order_seq_cst)); }
  /// Those a thief could take: not pinned.
  uint32_t stealable() const { return uint32_t(lengths_.load(std::memory_order_seq_cst) >> 32); }
  /// By effective priority, low first; for observers.
  struct Lengths {
    uint32_t of[Runnable::kMax + 1];
  };
  Lengths lengths();
  /// Are there max or high ones?
  bool urgent() const { return urgent_count() != 0; }
  uint32_t urgent_count() const { return urgent_.load(std::memory_order_relaxed); }

 private:
  struct List {
    Runnable* head = nullptr;
    Runnable* tail = nullptr;
    void append(Runnable& r);
    Runnable* take_after(Runnable* before);  ///< nullptr: the head
  };

  List& list_of(const Runnable& r) {
    return lists_[r.effective_priority() <= Runnable::kNormal
                      ? 0
                      : r.effective_priority() - Runnable::kNormal];
  }
  Runnable* pop_round_robin(Oracle& oracle);
  Runnable* pop_guided(Guide& guide);
  Runnable* take_stealable(List& list, Runnable*& before);
  void add_all(List& loot);
  void add(Runnable& r);
  static void begins(Runnable& r);
  void removed(const Runnable& r);
  void publish(std::memory_order order) { lengths_.store(total_ | uint64_t(free_) << 32, order); }

  SpinLock lock_;
  std::atomic<uint32_t> urgent_{0};
  std::atomic<uint64_t> lengths_{0};  ///< total_ and free_, for readers without the lock
  uint32_t total_ = 0;
  uint32_t free_ = 0;    ///< not pinned
  uint32_t normal_ = 0;  ///< of normal priority
  uint32_t max_ = 0;     ///< of max
  List lists_[3];        ///< normal with low, high, max
};

}  // namespace wb
