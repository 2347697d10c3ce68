// Operators on two floats without leaving registers. The interpreter has them in its slow handlers,
// the LLVM tier in line.
#pragma once

#include <bit>
#include <cmath>

#include "loader/met_floats.h"
#include "term/term.h"
#include "vm/process/exec.h"

namespace wb {

enum class FloatOp : uint8_t { none, add, sub, mul };

/// Both floats, a finite result and room for it: then it is made at HP, which is not moved.
template <FloatOp op>
WB_INLINE bool float_result(Term a, Term b, Term* HP, const Term* E) {
  if (op == FloatOp::none || !is_float(a) || !is_float(b)) return false;
  if (E - HP < 2 + kCallSlack) return false;
  double x = float_value(a), y = float_value(b);
  double r = op == FloatOp::add ? x + y : op == FloatOp::sub ? x - y : x * y;
  HP[0] = make_header(Kind::flo, 1);
  HP[1] = std::bit_cast<Term>(r);
  return (std::bit_cast<uint64_t>(r) >> 52 & 0x7ff) != 0x7ff;
}

/// How a slow operator begins: it tells that it has met floats, and is done with two of them. D:
/// the kind of `dst`.
#define WB_MEET_FLOATS(op, a, b)                         \
  if constexpr (op != FloatOp::none) {                   \
    if (is_float(a) || is_float(b)) MetFloats::count(I); \
    if (float_result<op>(a, b, HP, E)) {                 \
      WB_STORE(D, dst, make_boxed(HP));                  \
      HP += 2;                                           \
      WB_NEXT();                                         \
    }                                                    \
  }

}  // namespace wb
