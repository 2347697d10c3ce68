// How long something took, how often: a counter for each power of two of ticks. Written by one
// thread, read by all.
#pragma once

#include <bit>

#include "scheduler/counter.h"

namespace wb {

class Histogram {
 public:
  static constexpr uint32_t kBuckets = 40;
  void add(uint64_t ticks, uint64_t how_many = 1) {
    uint32_t bucket = static_cast<uint32_t>(std::bit_width(ticks));
    counts_[bucket < kBuckets ? bucket : kBuckets - 1].add(how_many);
  }
  /// Those below 2^bucket ticks, and not below half of that.
  uint64_t count(uint32_t bucket) const { return counts_[bucket].value(); }

 private:
  Counter counts_[kBuckets];
};

}  // namespace wb
