// Chooses some of what happens so often that looking at all of it would cost.
//
// What happens rarely is chosen always; what happens often about once in kApart ticks (some 100
// microseconds), by chance: what has a rhythm would else be met always or never. Each that is
// chosen stands for those that were passed over since the one before, so sums are right.
//
// Who wants to know looks now and then and says so by another number; each look begins with
// everything, so that a burst does not hide what comes after it. Belongs to one thread.
#pragma once

#include <cstdint>

#include "base/base.h"

namespace wb {

class EventSampler {
 public:
  /// Is this one sampled? Then take_sample() has to follow. `look`: not 0.
  bool is_sampled(uint32_t look) {
    if (WB_UNLIKELY(look != look_)) begin(look);
    return --left_ == 0;
  }
  /// The weight of the sample at `now`: how many events it stands for. Draws the next.
  uint32_t take_sample(uint64_t now) {
    uint64_t since = now - last_;
    if (since < kApart / 2 && every_ < kMost) every_ *= 2;
    if (since > kApart * 2 && every_ > 1) every_ /= 2;
    last_ = now;
    uint32_t weight = passed_ + drawn_;
    passed_ = 0;
    draw();
    ++count_;
    return weight_ = weight;
  }
  uint32_t weight() const { return weight_; }  ///< the last one
  uint32_t count() const { return count_; }    ///< how many were chosen

 private:
  static constexpr uint64_t kApart = 250'000;
  static constexpr uint32_t kMost = 8192;

  WB_COLD void begin(uint32_t look) {
    passed_ = look_ ? passed_ + drawn_ - left_ : 0;
    look_ = look, every_ = drawn_ = left_ = 1;
  }
  /// 1 to 2 * every_ - 1: every_ in the mean. Knuth's linear congruences.
  void draw() {
    random_ = random_ * 1664525 + 1013904223;
    uint32_t range = 2 * every_ - 1;
    drawn_ = left_ = 1 + static_cast<uint32_t>(uint64_t{random_} * range >> 32);
  }

  uint32_t look_ = 0, left_ = 1, drawn_ = 1, every_ = 1;
  uint32_t passed_ = 0;  ///< when this look began
  uint32_t weight_ = 1, count_ = 0, random_ = 1;
  uint64_t last_ = 0;
};

}  // namespace wb
