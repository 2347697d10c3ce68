// + - * / div rem, negation and absolute value. Each begins with the case of two smalls, which the
// interpreter has mostly handled itself, then bignums, then floats.
#include <cmath>

#include "term/instance.h"
#include "term/limbs.h"

namespace wb {

static bool are_integers(Term a, Term b) { return is_integer(a) && is_integer(b); }

/// Both operands as doubles, or false: one is no number, or too big for a double.
static bool as_doubles(Term a, Term b, double* x, double* y) {
  return to_double(a, x) && to_double(b, y);
}

/// mpn_add and mpn_sub of a few limbs take longer to call than to do. `wide` has at least as many.
constexpr size_t kFewLimbs = 8;
static WB_INLINE uint64_t add_limbs(uint64_t* to, const Integer& wide, const Integer& narrow) {
  if (wide.size > kFewLimbs) {
    return mpn_add(as_mp(to), as_mp(wide.limbs), wide.size, as_mp(narrow.limbs), narrow.size);
  }
  unsigned long long carry = 0;
  size_t k = 0;
  for (; k < narrow.size; ++k)
    to[k] = __builtin_addcll(wide.limbs[k], narrow.limbs[k], carry, &carry);
  for (; k < wide.size; ++k) to[k] = __builtin_addcll(wide.limbs[k], 0, carry, &carry);
  return carry;
}
static WB_INLINE void subtract_limbs(uint64_t* to, const Integer& large, const Integer& less) {
  if (large.size > kFewLimbs) {
    mpn_sub(as_mp(to), as_mp(large.limbs), large.size, as_mp(less.limbs), less.size);
    return;
  }
  unsigned long long borrow = 0;
  size_t k = 0;
  for (; k < less.size; ++k)
    to[k] = __builtin_subcll(large.limbs[k], less.limbs[k], borrow, &borrow);
  for (; k < large.size; ++k) to[k] = __builtin_subcll(large.limbs[k], 0, borrow, &borrow);
}

/// a + b, or a - b when `subtract`.
static Term add_integers(Heap& h, Term a, Term b, bool subtract) {
  Integer x(a), y(b);
  bool y_negative = y.negative != subtract;
  if (y.zero()) return a;
  if (x.zero()) return subtract ? num_neg(h, b) : b;
  const Integer& wide = x.size >= y.size ? x : y;
  const Integer& narrow = x.size >= y.size ? y : x;
  Result r(h, wide.size + 1);
  if (x.negative == y_negative) {
    r.limbs()[wide.size] = add_limbs(r.limbs(), wide, narrow);
    return r.finish(x.negative, wide.size + 1);
  }
  bool x_larger = compare_magnitudes(x.limbs, x.size, y.limbs, y.size) >= 0;
  const Integer& large = x_larger ? x : y;
  const Integer& less = x_larger ? y : x;
  subtract_limbs(r.limbs(), large, less);
  return r.finish(x_larger ? x.negative : y_negative, large.size);
}

Term num_add(Heap& h, Term a, Term b) {
  if (are_small(a, b)) return make_integer(h, small_value(a) + small_value(b));
  if (are_integers(a, b)) return add_integers(h, a, b, false);
  double x, y;
  return as_doubles(a, b, &x, &y) ? checked_float(h, x + y) : kBadarith;
}

Term num_sub(Heap& h, Term a, Term b) {
  if (are_small(a, b)) return make_integer(h, small_value(a) - small_value(b));
  if (are_integers(a, b)) return add_integers(h, a, b, true);
  double x, y;
  return as_doubles(a, b, &x, &y) ? checked_float(h, x - y) : kBadarith;
}

static Term multiply_integers(Heap& h, Term a, Term b) {
  Integer x(a), y(b);
  if (x.zero() || y.zero()) return make_small(0);
  if (too_many_limbs(x.size + y.size - 1)) return kSystemLimit;
  const Integer& wide = x.size >= y.size ? x : y;
  const Integer& narrow = x.size >= y.size ? y : x;
  Result r(h, x.size + y.size);
  if (a == b) {
    mpn_sqr(as_mp(r.limbs()), as_mp(x.limbs), x.size);
  } else {
    mpn_mul(as_mp(r.limbs()), as_mp(wide.limbs), wide.size, as_mp(narrow.limbs), narrow.size);
  }
  return r.finish(x.negative != y.negative, x.size + y.size);
}

Term num_mul(Heap& h, Term a, Term b) {
  if (are_small(a, b)) {
    int64_t product;
    if (!__builtin_mul_overflow(small_value(a), small_value(b), &product)) {
      return make_integer(h, product);
    }
  }
  if (are_integers(a, b)) return multiply_integers(h, a, b);
  double x, y;
  return as_doubles(a, b, &x, &y) ? checked_float(h, x * y) : kBadarith;
}

Term num_divide(Heap& h, Term a, Term b) {
  double x, y;
  if (!as_doubles(a, b, &x, &y) || y == 0) return kBadarith;
  return checked_float(h, x / y);
}

static Term divide_integers(Heap& h, Term a, Term b, bool want_quotient) {
  Integer x(a), y(b);
  if (compare_magnitudes(x.limbs, x.size, y.limbs, y.size) < 0) {
    return want_quotient ? make_small(0) : a;
  }
  size_t quotient_size = x.size - y.size + 1;
  if (want_quotient) {
    Result quotient(h, quotient_size);
    Scratch rest(y.size);
    mpn_tdiv_qr(as_mp(quotient.limbs()), as_mp(rest.limbs()), 0, as_mp(x.limbs), x.size,
                as_mp(y.limbs), y.size);
    return quotient.finish(x.negative != y.negative, quotient_size);
  }
  Scratch quotient(quotient_size);
  Result rest(h, y.size);
  mpn_tdiv_qr(as_mp(quotient.limbs()), as_mp(rest.limbs()), 0, as_mp(x.limbs), x.size,
              as_mp(y.limbs), y.size);
  return rest.finish(x.negative, y.size);
}

Term num_div(Heap& h, Term a, Term b) {
  if (!are_integers(a, b) || b == make_small(0)) return kBadarith;
  if (are_small(a, b)) return make_integer(h, small_value(a) / small_value(b));
  return divide_integers(h, a, b, true);
}

Term num_rem(Heap& h, Term a, Term b) {
  if (!are_integers(a, b) || b == make_small(0)) return kBadarith;
  if (are_small(a, b)) return make_small(small_value(a) % small_value(b));
  return divide_integers(h, a, b, false);
}

Term num_neg(Heap& h, Term a) {
  if (is_small(a)) return make_integer(h, -small_value(a));
  if (is_big(a)) return make_integer(h, !big_negative(a), big_limbs(a), big_size(a));
  if (is_float(a)) return make_float(h, -float_value(a));
  return kBadarith;
}

// abs(-0.0) is -0.0 where the zeros match: OTP 25 asks whether the number is below zero.
Term num_abs(Heap& h, Term a) {
  if (is_small(a)) return small_value(a) < 0 ? num_neg(h, a) : a;
  if (is_big(a)) return big_negative(a) ? num_neg(h, a) : a;
  if (is_float(a)) {
    bool negative = zeros_match() ? float_value(a) < 0 : std::signbit(float_value(a));
    return negative ? num_neg(h, a) : a;
  }
  return kBadarg;
}

}  // namespace wb
