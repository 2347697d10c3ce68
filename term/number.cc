// Making integers, converting them, comparing numbers. See limbs.h for how bignums are handled.
//
// A double is compared with an integer exactly: its whole part becomes limbs, and its fraction
// decides a tie. Converting the integer to a double instead would make 2^53+1 == 2.0^53, and
// order would not be transitive.
#include "term/number.h"

#include <cmath>

#include "term/limbs.h"

namespace wb {

Term make_integer(Heap& h, bool negative, const uint64_t* limbs, size_t n) {
  n = strip_zeros(limbs, n);
  if (too_many_limbs(n)) return kSystemLimit;
  Result r(h, n);
  if (n > 0) memcpy(r.limbs(), limbs, n * sizeof(uint64_t));
  return r.finish(negative, n);
}

Term make_integer(Heap& h, int64_t v) {
  if (WB_LIKELY(fits_small(v))) return make_small(v);
  uint64_t limb = magnitude(v);
  return make_integer(h, v < 0, &limb, 1);
}

Term make_unsigned(Heap& h, uint64_t v) {
  if (v <= static_cast<uint64_t>(kSmallMax)) return make_small(static_cast<int64_t>(v));
  return make_integer(h, false, &v, 1);
}

bool to_int64(Term t, int64_t* out) {
  if (is_small(t)) {
    *out = small_value(t);
    return true;
  }
  if (!is_big(t) || big_size(t) != 1) return false;
  uint64_t v = big_limbs(t)[0];
  bool negative = big_negative(t);
  if (v > magnitude(negative ? INT64_MIN : INT64_MAX)) return false;
  *out = static_cast<int64_t>(negative ? uint64_t{0} - v : v);
  return true;
}

bool to_uint64(Term t, uint64_t* out) {
  if (is_small(t)) {
    *out = static_cast<uint64_t>(small_value(t));
    return small_value(t) >= 0;
  }
  if (!is_big(t) || big_size(t) != 1 || big_negative(t)) return false;
  *out = big_limbs(t)[0];
  return true;
}

// OTP adds up the digits from the low end and rounds at each, which for bignums of three and more
// limbs is not always the nearest double. Programs can see that, so we do the same.
static bool big_to_double(Term t, double* out) {
  constexpr double kBase = 18446744073709551616.0;
  double sum = 0, weight = 1;
  const uint64_t* limbs = big_limbs(t);
  for (size_t i = 0, n = big_size(t); i < n; ++i) {
    if (limbs[i] != 0) sum += static_cast<double>(limbs[i]) * weight;
    weight *= kBase;
    if (!std::isfinite(sum)) return false;
  }
  *out = big_negative(t) ? -sum : sum;
  return true;
}

bool to_double(Term t, double* out) {
  if (is_small(t)) {
    *out = static_cast<double>(small_value(t));
    return true;
  }
  if (is_float(t)) {
    *out = float_value(t);
    return true;
  }
  return is_big(t) && big_to_double(t, out);
}

Term checked_float(Heap& h, double d) { return std::isfinite(d) ? make_float(h, d) : kBadarith; }

DoubleLimbs::DoubleLimbs(double d) {
  d = std::fabs(d);
  if (d < 1.0) return;
  int exponent;
  uint64_t digits = static_cast<uint64_t>(std::ldexp(std::frexp(d, &exponent), 53));
  int shift = exponent - 53;
  if (shift <= 0) {
    limbs[0] = digits >> -shift;
    size = 1;
    return;
  }
  size_t at = static_cast<size_t>(shift) / 64;
  unsigned bits = static_cast<unsigned>(shift) % 64;
  limbs[at] = digits << bits;
  if (bits > 0) limbs[at + 1] = digits >> (64 - bits);
  size = strip_zeros(limbs, at + 2);
}

static int compare_integers(Term a, Term b) {
  Integer x(a), y(b);
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  int order = compare_magnitudes(x.limbs, x.size, y.limbs, y.size);
  return x.negative ? -order : order;
}

static int compare_integer_double(Term a, double d) {
  constexpr int64_t kExact = int64_t{1} << 53;  // so far each integer is a double
  if (is_small(a) && small_value(a) <= kExact && small_value(a) >= -kExact) {
    const auto x = static_cast<double>(small_value(a));
    return (x > d) - (x < d);
  }
  Integer x(a);
  bool d_negative = d < 0;
  if (x.zero()) return d == 0 ? 0 : (d_negative ? 1 : -1);
  if (d == 0 || x.negative != d_negative) return x.negative ? -1 : 1;
  DoubleLimbs whole(d);
  int order = compare_magnitudes(x.limbs, x.size, whole.limbs, whole.size);
  if (order == 0 && d != std::trunc(d)) order = -1;
  return x.negative ? -order : order;
}

int compare_numbers(Term a, Term b) {
  if (are_small(a, b)) {
    return (static_cast<int64_t>(a) > static_cast<int64_t>(b)) -
           (static_cast<int64_t>(a) < static_cast<int64_t>(b));
  }
  bool a_float = is_float(a), b_float = is_float(b);
  if (a_float && b_float) {
    double x = float_value(a), y = float_value(b);
    return (x > y) - (x < y);
  }
  if (a_float) return -compare_integer_double(b, float_value(a));
  if (b_float) return compare_integer_double(a, float_value(b));
  return compare_integers(a, b);
}

}  // namespace wb
