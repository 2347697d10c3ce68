// band bor bxor bnot bsl bsr. Integers behave as if written in two's complement with their sign
// repeated for ever; bignums are kept as sign and absolute value, so they are turned over limb by
// limb on the way in and once more on the way out.
#include <algorithm>

#include "term/limbs.h"

namespace wb {
namespace {

/// Limbs of an integer in two's complement, lowest first, as many as one asks for.
class TwosComplement {
 public:
  explicit TwosComplement(const Integer& x) : x_(x), carry_(x.negative) {}
  uint64_t next() {
    uint64_t limb = at_ < x_.size ? x_.limbs[at_] : 0;
    ++at_;
    if (!x_.negative) return limb;
    limb = ~limb + carry_;
    carry_ = carry_ && limb == 0;
    return limb;
  }

 private:
  const Integer& x_;
  size_t at_ = 0;
  bool carry_;
};

/// The lowest n limbs of the result, with its sign beyond them.
template <class Operation>
Term bitwise(Heap& h, const Integer& x, const Integer& y, size_t n, Operation operation) {
  Result r(h, n);
  TwosComplement xs(x), ys(y);
  for (size_t i = 0; i < n; ++i) r.limbs()[i] = operation(xs.next(), ys.next());
  bool negative = operation(x.negative, y.negative);
  if (negative) mpn_neg(as_mp(r.limbs()), as_mp(r.limbs()), n);
  return r.finish(negative, n);
}

template <class Operation>
Term bitwise(Heap& h, Term a, Term b, Operation operation) {
  if (!is_integer(a) || !is_integer(b)) return kBadarith;
  Integer x(a), y(b);
  return bitwise(h, x, y, std::max(x.size, y.size) + 1, operation);  // one more for the sign
}

/// Of an operand without sign, no bit beyond it is in the result: X band 255 takes one limb of X.
Term bitwise_and(Heap& h, Term a, Term b) {
  if (!is_integer(a) || !is_integer(b)) return kBadarith;
  Integer x(a), y(b);
  size_t n = std::max(x.size, y.size) + 1;
  if (!x.negative) n = x.size;
  if (!y.negative) n = std::min<size_t>(n, y.size);
  return bitwise(h, x, y, n, [](uint64_t u, uint64_t v) { return u & v; });
}

Term shift_left(Heap& h, Term a, uint64_t bits) {
  Integer x(a);
  if (x.zero()) return a;
  if (bits > kMaxBigLimbs * 64 || too_many_limbs((x.bit_length() + bits + 63) / 64))
    return kSystemLimit;
  size_t low = bits / 64, n = low + x.size + 1;
  Result r(h, n);
  memset(r.limbs(), 0, low * sizeof(uint64_t));
  uint64_t* to = r.limbs() + low;
  if (bits % 64 == 0) {
    memcpy(to, x.limbs, x.size * sizeof(uint64_t));
    to[x.size] = 0;
  } else {
    to[x.size] = mpn_lshift(as_mp(to), as_mp(x.limbs), x.size, bits % 64);
  }
  return r.finish(x.negative, n);
}

/// Rounds towards minus infinity: a negative number of which bits are lost gets one more.
Term shift_right(Heap& h, Term a, uint64_t bits) {
  Integer x(a);
  if (bits >= x.bit_length()) return make_small(x.negative ? -1 : 0);
  size_t gone = bits / 64, n = x.size - gone;
  bool lost = x.negative && strip_zeros(x.limbs, gone) > 0;
  Result r(h, n + 1);
  r.limbs()[n] = 0;
  if (bits % 64 == 0) {
    memcpy(r.limbs(), x.limbs + gone, n * sizeof(uint64_t));
  } else {
    lost |= mpn_rshift(as_mp(r.limbs()), as_mp(x.limbs + gone), n, bits % 64) != 0;
  }
  if (x.negative && lost) mpn_add_1(as_mp(r.limbs()), as_mp(r.limbs()), n + 1, 1);
  return r.finish(x.negative, n + 1);
}

Term shift(Heap& h, Term a, Term by, bool left) {
  if (!is_integer(a) || !is_integer(by)) return kBadarith;
  Integer amount(by);
  if (amount.negative) left = !left;
  uint64_t bits = amount.zero() ? 0 : amount.size == 1 ? amount.limbs[0] : UINT64_MAX;
  return left ? shift_left(h, a, bits) : shift_right(h, a, bits);
}

}  // namespace

Term num_band(Heap& h, Term a, Term b) {
  if (are_small(a, b)) return a & b;
  return bitwise_and(h, a, b);
}

Term num_bor(Heap& h, Term a, Term b) {
  if (are_small(a, b)) return a | b;
  return bitwise(h, a, b, [](uint64_t x, uint64_t y) { return x | y; });
}

Term num_bxor(Heap& h, Term a, Term b) {
  if (are_small(a, b)) return a ^ b;
  return bitwise(h, a, b, [](uint64_t x, uint64_t y) { return x ^ y; });
}

Term num_bnot(Heap& h, Term a) {
  if (is_small(a)) return make_small(~small_value(a));
  return num_bxor(h, a, make_small(-1));
}

Term num_bsl(Heap& h, Term a, Term b) { return shift(h, a, b, true); }
Term num_bsr(Heap& h, Term a, Term b) { return shift(h, a, b, false); }

}  // namespace wb
