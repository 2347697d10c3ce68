#include "scheduler/run_queue.h"

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <vector>

#include "scheduler/guide.h"

namespace wb {

void RunQueue::List::append(Runnable& r) {
  r.queue_next = nullptr;
  (tail ? tail->queue_next : head) = &r;
  tail = &r;
}

Runnable* RunQueue::List::take_after(Runnable* before) {
  Runnable*& link = before ? before->queue_next : head;
  Runnable* r = link;
  link = r->queue_next;
  if (tail == r) tail = before;
  r->queue_next = nullptr;
  return r;
}

void RunQueue::add(Runnable& r) {
  r.boost = std::max(r.boost, r.pending_boost.load(std::memory_order_relaxed));
  list_of(r).append(r);
  ++total_;
  if (!r.pinned) ++free_;
  if (r.effective_priority() == Runnable::kNormal) ++normal_;
  if (r.effective_priority() > Runnable::kNormal) {
    urgent_.store(urgent_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    max_ += r.effective_priority() == Runnable::kMax;
  }
}

void RunQueue::removed(const Runnable& r) {
  --total_;
  if (!r.pinned) --free_;
  if (r.effective_priority() == Runnable::kNormal) --normal_;
  if (r.effective_priority() > Runnable::kNormal) {
    urgent_.store(urgent_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    max_ -= r.effective_priority() == Runnable::kMax;
  }
}

RunQueue::Lengths RunQueue::lengths() {
  std::lock_guard guard(lock_);
  uint32_t urgent = urgent_.load(std::memory_order_relaxed);
  return {{total_ - urgent - normal_, normal_, urgent - max_, max_}};
}

void RunQueue::push(Runnable& r) {
  std::lock_guard guard(lock_);
  add(r);
  publish(std::memory_order_seq_cst);
}

Runnable* RunQueue::pop(Oracle& oracle) {
  if (length() == 0) return nullptr;
  std::lock_guard guard(lock_);
  Runnable* r = nullptr;
  Guide* guide = oracle.chooser();
  if (WB_UNLIKELY(guide)) {
    r = pop_guided(*guide);
    if (!r) return nullptr;
  }
  for (int level : {2, 1}) {
    if (!r && lists_[level].head) r = lists_[level].take_after(nullptr);
  }
  if (!r) r = pop_round_robin(oracle);
  if (!r) return nullptr;
  removed(*r);
  begins(*r);
  publish(std::memory_order_release);
  return r;
}

/// Whatever made somebody want it came in before, so that it will see it (hence acquire).
void RunQueue::begins(Runnable& r) {
  r.boost = 0;
  if (WB_UNLIKELY(r.pending_boost.load(std::memory_order_relaxed))) {
    r.pending_boost.exchange(0, std::memory_order_acq_rel);
  }
}

bool RunQueue::boost(Runnable& r, uint8_t to) {
  std::lock_guard guard(lock_);
  for (List& list : lists_) {
    Runnable* before = nullptr;
    for (Runnable* at = list.head; at && at != &r; at = at->queue_next) before = at;
    if (before ? before->queue_next != &r : list.head != &r) continue;
    if (r.effective_priority() >= to) return true;
    list.take_after(before);
    removed(r);
    r.boost = to;
    add(r);
    publish(std::memory_order_seq_cst);
    return true;
  }
  return false;
}

Runnable* RunQueue::pop_guided(Guide& guide) {
  std::vector<Runnable*> waiting;
  for (int level : {2, 1, 0}) {
    for (Runnable* r = lists_[level].head; r; r = r->queue_next) waiting.push_back(r);
  }
  Runnable* chosen = guide.next(waiting);
  if (!chosen) return nullptr;
  List& list = list_of(*chosen);
  Runnable* before = nullptr;
  for (Runnable* r = list.head; r != chosen; r = r->queue_next) before = r;
  return list.take_after(before);
}

Runnable* RunQueue::pop_round_robin(Oracle& oracle) {
  List& list = lists_[0];
  while (list.head) {
    Runnable* before = nullptr;
    if (WB_UNLIKELY(oracle.has_virtual_time())) {
      uint32_t others = total_ - urgent_.load(std::memory_order_relaxed);
      for (uint32_t n = oracle.choose(std::min(others, kChoiceLimit)); n; --n) {
        before = before ? before->queue_next : list.head;
      }
    }
    Runnable* r = list.take_after(before);
    if (r->priority == Runnable::kLow && normal_ != 0 && ++r->passed_over < kLowInterval) {
      list.append(*r);
      continue;
    }
    r->passed_over = 0;
    return r;
  }
  return nullptr;
}

// The first after `before` that is not pinned, unlinked; `before` moves along.
Runnable* RunQueue::take_stealable(List& list, Runnable*& before) {
  for (Runnable* r = before ? before->queue_next : list.head; r; r = r->queue_next) {
    if (!r->pinned) return list.take_after(before);
    before = r;
  }
  return nullptr;
}

Runnable* RunQueue::take_movable() {
  std::lock_guard guard(lock_);
  for (int level : {2, 1, 0}) {
    Runnable* before = nullptr;
    if (Runnable* r = take_stealable(lists_[level], before)) {
      removed(*r);
      publish(std::memory_order_release);
      return r;
    }
  }
  return nullptr;
}

Runnable* RunQueue::steal_from(RunQueue& victim, uint32_t wanted) {
  if (victim.stealable() == 0) return nullptr;
  List loot;
  Runnable* first = nullptr;
  {
    std::lock_guard guard(victim.lock_);
    for (int level : {2, 1}) {
      Runnable* before = nullptr;
      if (!first) first = victim.take_stealable(victim.lists_[level], before);
    }
    if (first) {
      victim.removed(*first);  // keeps its boost: the thief may queue it before it runs
    } else {
      Runnable* before = nullptr;
      uint32_t most = std::min({wanted, kStealLimit, (victim.free_ + 1) / 2});
      for (uint32_t n = 0; n < most; ++n) {
        Runnable* r = victim.take_stealable(victim.lists_[0], before);
        if (!r) break;
        victim.removed(*r);
        if (first) {
          loot.append(*r);
        } else {
          first = r;
        }
      }
    }
    victim.publish(std::memory_order_release);
  }
  add_all(loot);
  return first;
}

Runnable* RunQueue::steal_urgent(RunQueue& victim, uint32_t wanted) {
  List loot;
  uint32_t taken = 0;
  {
    std::lock_guard guard(victim.lock_);
    for (int level : {2, 1}) {
      Runnable* before = nullptr;
      for (; taken < std::min(wanted, kStealLimit); ++taken) {
        Runnable* r = victim.take_stealable(victim.lists_[level], before);
        if (!r) break;
        victim.removed(*r);
        loot.append(*r);
      }
    }
    victim.publish(std::memory_order_release);
  }
  if (!taken) return nullptr;
  Runnable* first = loot.take_after(nullptr);
  add_all(loot);
  return first;
}

void RunQueue::add_all(List& loot) {
  if (!loot.head) return;
  std::lock_guard guard(lock_);
  while (loot.head) add(*loot.take_after(nullptr));
  publish(std::memory_order_seq_cst);
}

}  // namespace wb
