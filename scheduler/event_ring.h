// What a worker did last: its newest few thousand events, always recorded.
//
// One writer, the worker; a record is two words and mostly no look at the clock (slice_clock.h), no
// lock, no shared line.
// Slices of one runnable with nothing between them are one record, whose end moves on: a loop alone
// on its worker does not drive out what happened before it.
// Readers copy the ring while it is written and drop what was overwritten meanwhile, so looking
// costs the worker nothing. The observer draws its time line from this and a crash dump shows it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/base.h"

namespace wb {

enum class EventKind : uint8_t {
#define EVENT(name, text, argument) name,
#include "scheduler/events.def"
#undef EVENT
};
const char* event_name(EventKind kind);
const char* event_text(EventKind kind);      ///< what happened
const char* event_argument(EventKind kind);  ///< what the argument is

/// The processor's clock register: cheap, steady, in units of its own (see Scheduler::event_clock).
WB_INLINE uint64_t read_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "which register counts time here?"
#endif
}

struct Event {
  uint64_t number;  ///< counts this worker's events from 0
  uint64_t ticks;
  uint64_t argument;  ///< 56 bits
  EventKind kind;
};

class EventRing {
 public:
  static constexpr uint64_t kSize = 4096;

  EventRing() : slots_(new Slot[kSize]) {}

  void record(EventKind kind, uint64_t argument, uint64_t ticks = read_ticks()) {
    uint64_t n = next_.load(std::memory_order_relaxed);
    Slot& slot = slots_[n % kSize];
    slot.ticks.store(ticks, std::memory_order_release);
    slot.what.store(argument << 8 | uint8_t(kind), std::memory_order_release);
    next_.store(n + 1, std::memory_order_release);
  }

  /// Moves the newest event on to `ticks` if it is this one, and records it otherwise.
  void prolong(EventKind kind, uint64_t argument, uint64_t ticks) {
    uint64_t n = next_.load(std::memory_order_relaxed);
    Slot& newest = slots_[(n - 1) % kSize];
    bool same = newest.what.load(std::memory_order_relaxed) == (argument << 8 | uint8_t(kind));
    if (!same || n == 0) return record(kind, argument, ticks);
    newest.ticks.store(ticks, std::memory_order_release);
  }

  /// Events `first` and later that are still there, oldest first; from any thread.
  std::vector<Event> snapshot(uint64_t first = 0) const;
  uint64_t recorded() const { return next_.load(std::memory_order_acquire); }

 private:
  struct Slot {
    std::atomic<uint64_t> ticks{0}, what{0};
  };

  std::unique_ptr<Slot[]> slots_;
  std::atomic<uint64_t> next_{0};
};

/// Turns ticks into nanoseconds of the scheduler's clock: two moments at which both were read.
struct EventClock {
  uint64_t ticks0, ns0, ticks1, ns1;
  uint64_t to_ns(uint64_t ticks) const {
    if (ticks1 == ticks0) return ns1;
    double rate = double(ns1 - ns0) / double(ticks1 - ticks0);
    return uint64_t(double(ns0) + double(int64_t(ticks - ticks0)) * rate);
  }
};

}  // namespace wb
