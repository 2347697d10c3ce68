// When the events of a worker were, with fewer looks at the clock than there are slices.
//
// Reading the clock takes as long as a tenth of the slices of processes that do nothing but pass
// messages on. So of short slices in a row only one in kTogether reads it, and the others are said
// to have taken what each of the last such row took, a little less: no event is later than the
// reading after it. Slices that turn out long, or spend more than a few reductions, read it each.
// So an event is wrong by at most what kTogether short slices take, some microseconds, and one long
// slice of native code after short ones is seen as long, perhaps as that of a neighbour, once.
//
// Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "scheduler/event_ring.h"

namespace wb {

class SliceClock {
 public:
  static constexpr uint32_t kTogether = 8;
  static constexpr int32_t kFew = 100;      ///< reductions
  static constexpr uint64_t kShort = 4096;  ///< ticks: a microsecond or two

  /// The end of a slice. `read` reads the clock.
  template <class Read>
  WB_INLINE uint64_t slice_ended(int32_t reductions, Read read) {
    if (guessed_ < guesses_ && reductions < kFew) {
      ++guessed_;
      return last_ += each_;
    }
    return measure(read());
  }
  /// Something else happens at `now`. What is said of it: that, or the moment before, if that was
  /// guessed too late.
  uint64_t set(uint64_t now) {
    read_ = now;
    guessed_ = 0;
    return last_ = std::max(now, last_);
  }

 private:
  WB_NOINLINE uint64_t measure(uint64_t now) {
    const uint64_t passed = now - read_;
    const bool whole = guessed_ + 1 == kTogether;
    if (whole || !guessed_) {
      const uint64_t each = whole ? passed / kTogether : passed;
      each_ = each - each / 8;
      guesses_ = each <= kShort ? kTogether - 1 : 0;
    } else if (passed > kTogether * kShort) {
      guesses_ = 0;
    }
    return set(now);
  }

  uint64_t read_ = 0, last_ = 0, each_ = 0;
  uint32_t guessed_ = 0, guesses_ = 0;
};

}  // namespace wb
