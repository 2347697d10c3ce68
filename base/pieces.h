// Many bytes, some at a time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/pace.h"

namespace wb {

/// Calls f(at, n) for pieces of [0, size) one after the other, a step for 16 bytes. False when
/// `pace` stopped it.
template <class F>
WB_INLINE bool in_pieces(size_t size, Pace& pace, F f) {
  constexpr size_t kPiece = 48 << 10;  // of 4, 12 and 64 bytes alike
  size_t at = 0;
  for (; WB_UNLIKELY(size - at > kPiece); at += kPiece) {
    f(at, kPiece);
    if (!pace.steps(kPiece / 16)) return false;
  }
  f(at, size - at);
  return pace.steps(static_cast<int64_t>((size - at) / 16));
}

}  // namespace wb
