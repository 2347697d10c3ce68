// Numbers that one thread writes and all may read: counters, histograms, times.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace wb {

class Counter {
 public:
  void add(uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void raise_to(uint64_t n) {
    if (n > value_.load(std::memory_order_relaxed)) value_.store(n, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

/// How long something took, how often: a counter for each power of two of ticks. Written by one
/// thread, read by all.
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

/// How long something has been busy in all, read from any thread; written by one.
class BusyTime {
 public:
  void mark(bool busy, uint64_t now_ns) {
    uint64_t word = word_.load(std::memory_order_relaxed);
    if (busy == bool(word & 1)) return;
    word_.store((now_ns - word / 2) * 2 + busy, std::memory_order_relaxed);
  }
  uint64_t ns(uint64_t now_ns) const {
    uint64_t word = word_.load(std::memory_order_relaxed);
    return word & 1 ? now_ns - word / 2 : word / 2;
  }

 private:
  /// Busy: (now - time) * 2 + 1, else time * 2; one word, so never torn.
  std::atomic<uint64_t> word_{0};
};

/// What a worker spends its time on between slices, and what its slices spend on ports: counted
/// only while somebody wants to know (Scheduler::account_time), and only where it takes long
/// anyway. A slice itself pays nothing: what is left over is its.
enum class Account : uint8_t { aux, check_io, other, port, count };

class TimeAccounts {
 public:
  uint64_t ns(Account a) const { return spent_[static_cast<int>(a)].value(); }

 private:
  friend class AccountedTime;
  Counter spent_[static_cast<int>(Account::count)];
  uint64_t inner_ = 0;  ///< what was counted within the account that is open
};

}  // namespace wb
