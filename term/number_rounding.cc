// float/1 and the four ways from a float to an integer. These are BIFs, so what is no number is
// badarg, and so is an integer too big for a float.
#include <cmath>

#include "term/limbs.h"

namespace wb {

/// The integer that `whole`, a double without fraction, stands for.
static Term whole_to_integer(Heap& h, double whole) {
  if (std::fabs(whole) < 1152921504606846976.0) {
    return make_integer(h, static_cast<int64_t>(whole));
  }
  DoubleLimbs digits(whole);
  return make_integer(h, whole < 0, digits.limbs, digits.size);
}

template <class Rounding>
static Term round_by(Heap& h, Term a, Rounding rounding) {
  if (is_integer(a)) return a;
  if (!is_float(a)) return kBadarg;
  return whole_to_integer(h, rounding(float_value(a)));
}

Term num_round(Heap& h, Term a) {
  return round_by(h, a, [](double d) { return std::round(d); });
}
Term num_trunc(Heap& h, Term a) {
  return round_by(h, a, [](double d) { return std::trunc(d); });
}
Term num_floor(Heap& h, Term a) {
  return round_by(h, a, [](double d) { return std::floor(d); });
}
Term num_ceil(Heap& h, Term a) {
  return round_by(h, a, [](double d) { return std::ceil(d); });
}

Term num_float(Heap& h, Term a) {
  if (is_float(a)) return a;
  double d;
  return to_double(a, &d) ? make_float(h, d) : kBadarg;
}

}  // namespace wb
