// How long work goes on before it lets others run.
//
// A loop over something that may be huge calls step() for each element. Every thousand steps or so
// that asks whoever runs the loop for more (refill()), who may run something else meanwhile. False,
// now and from then on: nobody wants the result any more; free what is held and return anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/base.h"

namespace wb {

class WorkBudget {
 public:
  WB_INLINE bool step() { return WB_LIKELY(--left_ != 0) || refill_budget(*this); }
  WB_INLINE bool steps(int64_t n) { return WB_LIKELY((left_ -= n) > 0) || refill_budget(*this); }
  bool stopped() const { return stopped_; }

 protected:
  friend class LocalBudget;
  explicit WorkBudget(int64_t left) : left_(left) {}
  ~WorkBudget() = default;
  virtual bool refill() = 0;  ///< sets left_ and stopped_ anew
  /// The caller, a loop, keeps its registers.
  WB_COLD WB_PRESERVE_MOST static bool refill_budget(WorkBudget& budget) { return budget.refill(); }
  int64_t left_;  ///< steps until the next refill, more than 0
  bool stopped_ = false;
};

/// The steps of an innermost loop, counted in a register. Nobody else touches its WorkBudget
/// meanwhile, except between pause() and resume().
class LocalBudget {
 public:
  WB_INLINE explicit LocalBudget(WorkBudget& budget) : budget_(budget), left_(budget.left_) {}
  WB_INLINE ~LocalBudget() { pause(); }
  LocalBudget(const LocalBudget&) = delete;
  WB_INLINE bool step() { return WB_LIKELY(--left_ != 0) || refill(); }
  WB_INLINE void pause() { budget_.left_ = left_; }
  WB_INLINE void resume() { left_ = budget_.left_; }

 private:
  WB_INLINE bool refill() {
    pause();
    bool on = WorkBudget::refill_budget(budget_);
    resume();
    return on;
  }

  WorkBudget& budget_;
  int64_t left_;
};

/// Of work that runs to its end in any case.
class UnlimitedBudget final : public WorkBudget {
 public:
  UnlimitedBudget() : WorkBudget(INT64_MAX) {}

 private:
  bool refill() override {
    left_ = INT64_MAX;
    return true;
  }
};

// Many bytes, a chunk at a time.

/// Calls f(at, n) for chunks of [0, size) one after the other, a step for 16 bytes. False when
/// `budget` stopped it.
template <class F>
WB_INLINE bool in_chunks(size_t size, WorkBudget& budget, F f) {
  constexpr size_t kChunk = 48 << 10;  // of 4, 12 and 64 bytes alike
  size_t at = 0;
  for (; WB_UNLIKELY(size - at > kChunk); at += kChunk) {
    f(at, kChunk);
    if (!budget.steps(kChunk / 16)) return false;
  }
  f(at, size - at);
  return budget.steps(static_cast<int64_t>((size - at) / 16));
}

}  // namespace wb
