// The newest records of one writer, for readers on any thread: as the event ring, for records of
// any plain type.
//
// No lock: readers copy the ring while it is written and drop what was overwritten meanwhile.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace wb {

template <class T, uint64_t kSize>
class Ring {
  static constexpr size_t kWords = sizeof(T) / sizeof(uint64_t);
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) == kWords * sizeof(uint64_t));

 public:
  struct Record {
    uint64_t number;
    T value;
  };

  Ring() : slots_(new Slot[kSize]) {}

  void record(const T& value) {
    uint64_t n = next_.load(std::memory_order_relaxed);
    auto words = std::bit_cast<Words>(value);
    Slot& slot = slots_[n % kSize];
    for (size_t k = 0; k < kWords; ++k) slot[k].store(words.word[k], std::memory_order_release);
    next_.store(n + 1, std::memory_order_release);
  }

  /// Records `first` and later that are still there, oldest first.
  std::vector<Record> snapshot(uint64_t first = 0) const {
    uint64_t end = recorded();
    first = std::max(first, end > kSize ? end - kSize : 0);
    std::vector<Record> all;
    for (uint64_t n = first; n < end; ++n) {
      Words words;
      const Slot& slot = slots_[n % kSize];
      for (size_t k = 0; k < kWords; ++k) words.word[k] = slot[k].load(std::memory_order_acquire);
      all.push_back({n, std::bit_cast<T>(words)});
    }
    // What the writer may have overwritten, or be overwriting, while we copied.
    uint64_t now = recorded() + 1, kept = now > kSize ? now - kSize : 0;
    size_t torn = kept > first ? std::min<uint64_t>(kept - first, all.size()) : 0;
    all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(torn));
    return all;
  }
  uint64_t recorded() const { return next_.load(std::memory_order_acquire); }

 private:
  struct Words {
    uint64_t word[kWords];
  };
  using Slot = std::atomic<uint64_t>[kWords];
  std::unique_ptr<Slot[]> slots_;
  std::atomic<uint64_t> next_{0};
};

/// A runnable stood still (for a process: a collection).
struct Pause {
  uint64_t end, ticks;     ///< when it ended, what it took
  uint64_t label;          ///< as in events
  uint32_t before, after;  ///< sizes
  uint64_t kind;           ///< the host's
};
/// One runnable had something from another.
struct Flow {
  uint64_t ticks, from, to;  ///< when it was taken; labels
  uint32_t count;            ///< how many together
  uint32_t weight;           ///< how many like this there were (event_sampler.h)
  uint64_t size = 0;         ///< of all of them together
};
using PauseRing = Ring<Pause, 512>;
using FlowRing = Ring<Flow, 1024>;

}  // namespace wb
