#include "gc/heap_sizes.h"

#include <array>
#include <bit>
#include <cstdint>

namespace wb {

namespace {

constexpr size_t kFibonacciSizes = 23;  // 12 .. 833026

constexpr auto kSizes = [] {
  std::array<size_t, kHeapSizes> s{12, 38};
  for (size_t i = 2; i < kFibonacciSizes; ++i) s[i] = s[i - 1] + s[i - 2] + 1;
  for (size_t i = kFibonacciSizes; i < kHeapSizes; ++i) s[i] = s[i - 1] + s[i - 1] / 5;
  return s;
}();
static_assert(kSizes[16] == 46422 && kSizes[22] == 833026 && kSizes[23] == 999631);

/// By the number of bits in `words`: no smaller size is enough.
constexpr auto kFirst = [] {
  std::array<uint8_t, 65> first{};
  for (size_t bits = 1; bits <= 64; ++bits) {
    size_t least = size_t{1} << (bits - 1), i = 0;
    while (i < kHeapSizes && kSizes[i] < least) ++i;
    first[bits] = static_cast<uint8_t>(i);
  }
  return first;
}();
static_assert(kHeapSizes < 256);

}  // namespace

size_t heap_size_at_least(size_t words) {
  size_t i = kFirst[static_cast<size_t>(std::bit_width(words))];
  while (i < kHeapSizes && kSizes[i] < words) ++i;
  return i < kHeapSizes ? kSizes[i] : words;
}

const size_t* heap_sizes() { return kSizes.data(); }

}  // namespace wb
