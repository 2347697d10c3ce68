// * div rem of integers that keep GMP busy for milliseconds: done beside the scheduler.
#pragma once

#include "term/number.h"
#include "vm/process/process.h"

namespace wb {

using NumberOp = Term (*)(Heap&, Term, Term);

/// Large enough to ask.
constexpr size_t kLongLimbs = 500;
WB_INLINE bool may_take_long(Term a, Term b) {
  return is_boxed(a) && WB_UNLIKELY(header_size(header_of(a)) >= kLongLimbs) && is_big(a) &&
         is_big(b) && big_size(b) > 8;
}

/// op(a, b), `name` being times, div, rem or another operator (then it is short).
Term long_operation(Process& p, NumberOp op, Term name, Term a, Term b);

}  // namespace wb
