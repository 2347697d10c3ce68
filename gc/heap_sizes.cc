#include "gc/heap_sizes.h"

#include <algorithm>
#include <array>

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

}  // namespace

size_t heap_size_at_least(size_t words) {
  auto it = std::lower_bound(kSizes.begin(), kSizes.end(), words);
  return it == kSizes.end() ? words : *it;
}

const size_t* heap_sizes() { return kSizes.data(); }

}  // namespace wb
