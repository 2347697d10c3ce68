// Operators on integers of one or two limbs without leaving registers: what programs compute
// hashes, checksums and random numbers with. The handlers of small integers come here before they
// spill.
//
// Operands are computed in 128 bits, a product of two single limbs without its sign. Whatever does
// not fit (operands of more, a result over two limbs, no room) is left to term/number.h, and so is
// every error.
#pragma once

#include "term/number.h"
#include "vm/process/exec.h"

namespace wb {

enum class IntOp : uint8_t { add, sub, mul, div, rem, band, bor, bxor, bsl, bsr };

using Int128 = __int128;
using Unsigned128 = unsigned __int128;

/// Words of a result, at most.
constexpr int64_t kWideWords = 3;
/// Should an operator collect first? Where it is the only one to allocate, nobody else asks for
/// room, and whatever did not fit would come in a fragment of its own.
WB_INLINE bool wants_room(const Exec& c) {
  return c.p->heap.wants_collection() || !c.p->heap.has_room(kWideWords) || c.gc_stress;
}

/// False: no integer, or one of more than 127 bits.
WB_INLINE bool read_wide(Term t, Int128* out) {
  if (is_small(t)) {
    *out = small_value(t);
    return true;
  }
  if (!is_big(t)) return false;
  uint64_t n = big_size(t);
  const uint64_t* limbs = big_limbs(t);
  Unsigned128 v = limbs[0];
  if (n == 2 && limbs[1] >> 63 == 0) {
    v |= Unsigned128{limbs[1]} << 64;
  } else if (n != 1) {
    return false;
  }
  *out = big_negative(t) ? -static_cast<Int128>(v) : static_cast<Int128>(v);
  return true;
}

constexpr bool is_one_limb(Int128 v) { return v < (Int128{1} << 64) && -v < (Int128{1} << 64); }
constexpr Unsigned128 magnitude_of(Int128 v) {
  return v < 0 ? Unsigned128{0} - static_cast<Unsigned128>(v) : static_cast<Unsigned128>(v);
}

/// The integer as a term, made at HP if it is a bignum; kNone: there is no room.
WB_INLINE Term write_wide(bool negative, Unsigned128 v, Term*& HP, const Term* E) {
  if (v <= static_cast<Unsigned128>(kSmallMax) + negative) {
    auto small = static_cast<int64_t>(v);
    return make_small(negative ? -small : small);
  }
  if (WB_UNLIKELY(E - HP < kWideWords + kCallSlack)) return kNone;
  Term* p = HP;
  uint64_t high = static_cast<uint64_t>(v >> 64);
  p[0] = make_header(negative ? Kind::big_neg : Kind::big_pos, high ? 2 : 1);
  p[1] = static_cast<uint64_t>(v);
  if (high) p[2] = high;
  HP += high ? 3 : 2;
  return make_boxed(p);
}

/// The result, a bignum at HP, which moves; kNone: not this way.
template <IntOp op>
WB_INLINE Term wide_result(Term a, Term b, Term*& HP, const Term* E) {
  Int128 x, y;
  if (!read_wide(a, &x) || !read_wide(b, &y)) return kNone;
  Int128 r;
  if constexpr (op == IntOp::mul) {
    if (!is_one_limb(x) || !is_one_limb(y)) return kNone;
    return write_wide((x < 0) != (y < 0), magnitude_of(x) * magnitude_of(y), HP, E);
  } else if constexpr (op == IntOp::div || op == IntOp::rem) {
    if (y == 0 || !is_one_limb(x) || !is_one_limb(y)) return kNone;
    auto n = static_cast<uint64_t>(magnitude_of(x)), d = static_cast<uint64_t>(magnitude_of(y));
    if (op == IntOp::div) return write_wide((x < 0) != (y < 0), n / d, HP, E);
    return write_wide(x < 0, n % d, HP, E);
  } else if constexpr (op == IntOp::bsl) {
    if (y < 0 || y > 64 || !is_one_limb(x)) return kNone;
    return write_wide(x < 0, magnitude_of(x) << static_cast<unsigned>(y), HP, E);
  } else if constexpr (op == IntOp::bsr) {
    if (y < 0 || y > 127) return kNone;
    r = x >> static_cast<unsigned>(y);
  } else if constexpr (op == IntOp::add) {
    if (__builtin_add_overflow(x, y, &r)) return kNone;
  } else if constexpr (op == IntOp::sub) {
    if (__builtin_sub_overflow(x, y, &r)) return kNone;
  } else {
    r = op == IntOp::band ? x & y : op == IntOp::bor ? x | y : x ^ y;
  }
  return write_wide(r < 0, magnitude_of(r), HP, E);
}

/// At the beginning of a slow operator, `dst` of kind D: done if it can be done here.
#define WB_WIDE_INTEGERS(op, a, b)          \
  Term wide = wide_result<op>(a, b, HP, E); \
  if (WB_LIKELY(wide != kNone)) {           \
    WB_STORE(D, dst, wide);                 \
    WB_NEXT();                              \
  }

}  // namespace wb
