// The sizes heaps come in, in words: 12 38 51 90 142 233 376 ... 833026, then 20 % steps.
//
// The schedule is visible to programs (erlang:system_info(heap_sizes), process_info), so it is
// OTP's: each size is the sum of the two before it and one, until a million words.
#pragma once

#include <cstddef>

namespace wb {

/// Next size at or above `words`; `words` itself beyond the last size.
size_t heap_size_at_least(size_t words);

constexpr size_t kHeapSizes = 137;
/// What BEAM's heaps begin with.
constexpr size_t kFirstHeap = 233;
/// The schedule, ascending.
const size_t* heap_sizes();

}  // namespace wb
