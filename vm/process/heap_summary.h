// What a collection left, for whoever may not look into the heap: its size, and what looks wrong.
//
// Process::heap_words has both: words in eights, rounded up, and warnings in the bits below. The owner
// writes it when a collection ends; the observer finds one sick process among a million by it without
// asking anybody.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vm/process/extra.h"
#include "vm/process/process.h"

namespace wb {

enum HeapWarning : uint32_t { kHoldsLargeBinaries = 1, kNearHeapLimit = 2 };
constexpr uint32_t kHeapWarnings = 7;

/// Of binaries that it keeps alive and whose bytes are elsewhere, there are far more than the heap has.
inline bool holds_large_binaries(const ProcessHeap& h) {
  constexpr size_t kMuch = (size_t{1} << 20) / sizeof(Term);
  size_t off_heap = h.vheap_words() + h.old_vheap_words();
  return off_heap > kMuch && off_heap > 4 * h.used_words();
}
inline bool is_near_heap_limit(const Process& p) {
  return p.extra && p.extra->max_heap_size && p.heap.total_words() > p.extra->max_heap_size / 5 * 4;
}

inline uint32_t summarize_heap(const Process& p) {
  constexpr size_t kMost = UINT32_MAX - kHeapWarnings;
  size_t words = std::min<size_t>(p.heap.outer_words() + kHeapWarnings, kMost);
  uint32_t summary = static_cast<uint32_t>(words) & ~kHeapWarnings;
  if (holds_large_binaries(p.heap)) summary |= kHoldsLargeBinaries;
  if (is_near_heap_limit(p)) summary |= kNearHeapLimit;
  return summary;
}
inline uint32_t words_of_summary(uint32_t summary) { return summary & ~kHeapWarnings; }
inline uint32_t warnings_of_summary(uint32_t summary) { return summary & kHeapWarnings; }

}  // namespace wb
