// How long work lets others have their turn.
//
// A loop over something that may be huge calls step() for each piece. Every thousand pieces or so
// that asks whoever runs the loop (turn()), who may do something else meanwhile. False, now and
// from then on: nobody wants the result any more; free what is held and return anything.
#pragma once

#include <cstdint>

#include "base/base.h"

namespace wb {

class Pace {
 public:
  WB_INLINE bool step() { return WB_LIKELY(--left_ != 0) || turn_of(*this); }
  WB_INLINE bool steps(int64_t n) { return WB_LIKELY((left_ -= n) > 0) || turn_of(*this); }
  bool stopped() const { return stopped_; }

 protected:
  friend class Steps;
  explicit Pace(int64_t left) : left_(left) {}
  ~Pace() = default;
  virtual bool turn() = 0;  ///< sets left_ and stopped_ anew
  /// The caller, a loop, keeps its registers.
  WB_COLD WB_PRESERVE_MOST static bool turn_of(Pace& pace) { return pace.turn(); }
  int64_t left_;  ///< steps until the next turn, more than 0
  bool stopped_ = false;
};

/// The steps of an innermost loop, counted in a register. Its Pace is touched by nobody else
/// meanwhile, except between pause() and resume().
class Steps {
 public:
  WB_INLINE explicit Steps(Pace& pace) : pace_(pace), left_(pace.left_) {}
  WB_INLINE ~Steps() { pause(); }
  Steps(const Steps&) = delete;
  WB_INLINE bool step() { return WB_LIKELY(--left_ != 0) || turn(); }
  WB_INLINE void pause() { pace_.left_ = left_; }
  WB_INLINE void resume() { left_ = pace_.left_; }

 private:
  WB_INLINE bool turn() {
    pause();
    bool on = Pace::turn_of(pace_);
    resume();
    return on;
  }

  Pace& pace_;
  int64_t left_;
};

/// Of work that runs to its end in any case.
class NoPace final : public Pace {
 public:
  NoPace() : Pace(INT64_MAX) {}

 private:
  bool turn() override {
    left_ = INT64_MAX;
    return true;
  }
};

}  // namespace wb
