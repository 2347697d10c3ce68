// Dynamic operands of loaded instructions: a term, or a reference to a register, which is no term.
#pragma once

#include <cstdint>

namespace wb {

constexpr uint64_t kXRefTag = 0x5b, kYRefTag = 0x6b, kRefTagMask = 0xff;
constexpr unsigned kRefShift = 8;
constexpr uint64_t make_x_ref(uint32_t n) { return uint64_t{n} << kRefShift | kXRefTag; }
constexpr uint64_t make_y_ref(uint32_t n) { return uint64_t{n} << kRefShift | kYRefTag; }
constexpr bool is_x_ref(uint64_t w) { return (w & kRefTagMask) == kXRefTag; }
constexpr bool is_y_ref(uint64_t w) { return (w & kRefTagMask) == kYRefTag; }

}  // namespace wb
