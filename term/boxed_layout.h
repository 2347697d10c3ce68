// boxed_kinds.def as inline tables, for the loops that ask it for every word.
#pragma once

#include "term/term.h"

namespace wb {

namespace boxed_layout {
constexpr uint8_t kRaw[] = {
#define KIND(name, raw, offheap) raw,
#include "term/boxed_kinds.def"
#undef KIND
};
constexpr bool kOwns[] = {
#define KIND(name, raw, offheap) offheap != 0,
#include "term/boxed_kinds.def"
#undef KIND
};
}  // namespace boxed_layout

/// Words after this header that are not terms.
WB_INLINE size_t raw_size(Word header) {
  uint8_t raw = boxed_layout::kRaw[static_cast<int>(header_kind(header))];
  return raw == 255 ? header_size(header) : raw;
}

/// True if the value owns an off-heap object (heap.h).
WB_INLINE bool is_owner(Word header) {
  return boxed_layout::kOwns[static_cast<int>(header_kind(header))];
}

}  // namespace wb
