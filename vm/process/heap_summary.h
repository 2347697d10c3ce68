// What a collection left, for whoever may not look into the heap: its size, the binaries that it
// keeps alive, and what looks wrong.
//
// Process::heap_words has all three: warnings in the lowest bits, above them bytes of binaries,
// above them words of the heap, both as a few leading bits and an exponent (rounded up: of the heap
// by 0.1 % at most, of binaries by 0.2 %). The owner writes it when a collection ends; the observer
// finds one sick process among a million by it without asking anybody.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "vm/process/extra.h"
#include "vm/process/process.h"

namespace wb {

enum HeapWarning : uint32_t { kHoldsLargeBinaries = 1, kNearHeapLimit = 2 };
constexpr uint32_t kHeapWarnings = 7;

/// A number in `bits + 5` bits: exact below 2^(bits+1), else its first bits + 1 bits, rounded up.
template <uint32_t bits>
struct ShortNumber {
  static constexpr uint64_t kExact = uint64_t{2} << bits;
  static constexpr uint32_t kMostShift = 30;
  static constexpr uint32_t encode(uint64_t n) {
    if (n < kExact) return static_cast<uint32_t>(n);
    auto shift = static_cast<uint32_t>(std::bit_width(n)) - (bits + 1);
    uint64_t first = (n + (uint64_t{1} << shift) - 1) >> shift;
    if (first == kExact) first >>= 1, ++shift;
    if (shift > kMostShift) first = kExact - 1, shift = kMostShift;
    return static_cast<uint32_t>(first) + (shift << bits);  // the leading bit counts one more
  }
  static constexpr uint64_t decode(uint32_t code) {
    const uint32_t shift = code < kExact ? 0 : (code >> bits) - 1;
    return uint64_t{code - (shift << bits)} << shift;
  }
};
using ShortHeap = ShortNumber<10>;     ///< words
using ShortBinaries = ShortNumber<9>;  ///< words
constexpr uint32_t kBinariesShift = 3, kHeapShift = kBinariesShift + 14;
static_assert(kHeapShift + 15 == 32 && kHeapWarnings < 1u << kBinariesShift);

/// Of binaries that it keeps alive and whose bytes are elsewhere, there are far more than the heap
/// has.
inline bool holds_large_binaries(const ProcessHeap& h) {
  constexpr size_t kMuch = (size_t{1} << 20) / sizeof(Term);
  size_t off_heap = h.vheap_words() + h.old_vheap_words();
  return off_heap > kMuch && off_heap > 4 * h.used_words();
}
inline bool is_near_heap_limit(const Process& p) {
  const RareParts* rare = rare_of(p);
  return rare && rare->max_heap_size && p.heap.total_words() > rare->max_heap_size / 5 * 4;
}

inline uint32_t summarize_heap(const Process& p) {
  const ProcessHeap& h = p.heap;
  uint32_t summary = ShortHeap::encode(h.outer_words()) << kHeapShift;
  summary |= ShortBinaries::encode(h.vheap_words() + h.old_vheap_words()) << kBinariesShift;
  if (holds_large_binaries(h)) summary |= kHoldsLargeBinaries;
  if (is_near_heap_limit(p)) summary |= kNearHeapLimit;
  return summary;
}
inline uint64_t words_of_summary(uint32_t summary) {
  return ShortHeap::decode(summary >> kHeapShift);
}
inline uint64_t binary_words_of_summary(uint32_t summary) {
  return ShortBinaries::decode(summary >> kBinariesShift & 0x3fff);
}
inline uint32_t warnings_of_summary(uint32_t summary) { return summary & kHeapWarnings; }

}  // namespace wb
