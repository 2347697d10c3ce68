// math:* - the C library's functions with Erlang's errors: an argument that is no number is badarg,
// one too big for a float, or a result that is not finite, badarith. Arguments are converted left
// to right, and the first that fails decides.
#include <cmath>

#include "term/number.h"
#include "vm/bif/bif.h"

namespace wb {

/// kNone, or why `t` cannot be a float.
static Term read_double(Term t, double* out) {
  if (!is_number(t)) return kBadarg;
  return to_double(t, out) ? kNone : kBadarith;
}

static Term call(Process& p, const Term* a, double (*function)(double)) {
  double x;
  if (Term fault = read_double(a[0], &x); fault != kNone) return fault;
  return checked_float(p.heap, function(x));
}

static Term call(Process& p, const Term* a, double (*function)(double, double)) {
  double x, y;
  if (Term fault = read_double(a[0], &x); fault != kNone) return fault;
  if (Term fault = read_double(a[1], &y); fault != kNone) return fault;
  return checked_float(p.heap, function(x, y));
}

BIF(math, sin, 1)
{
  return call(p, a, ::sin);
}
BIF(math, cos, 1)
{
  return call(p, a, ::cos);
}
BIF(math, tan, 1)
{
  return call(p, a, ::tan);
}
BIF(math, asin, 1)
{
  return call(p, a, ::asin);
}
BIF(math, acos, 1)
{
  return call(p, a, ::acos);
}
BIF(math, atan, 1)
{
  return call(p, a, ::atan);
}
BIF(math, atan2, 2)
{
  return call(p, a, ::atan2);
}
BIF(math, sinh, 1)
{
  return call(p, a, ::sinh);
}
BIF(math, cosh, 1)
{
  return call(p, a, ::cosh);
}
BIF(math, tanh, 1)
{
  return call(p, a, ::tanh);
}
BIF(math, asinh, 1)
{
  return call(p, a, ::asinh);
}
BIF(math, acosh, 1)
{
  return call(p, a, ::acosh);
}
BIF(math, atanh, 1)
{
  return call(p, a, ::atanh);
}
BIF(math, exp, 1)
{
  return call(p, a, ::exp);
}
BIF(math, log, 1)
{
  return call(p, a, ::log);
}
BIF(math, log2, 1)
{
  return call(p, a, ::log2);
}
BIF(math, log10, 1)
{
  return call(p, a, ::log10);
}
BIF(math, sqrt, 1)
{
  return call(p, a, ::sqrt);
}
BIF(math, pow, 2)
{
  return call(p, a, ::pow);
}
BIF(math, fmod, 2)
{
  return call(p, a, ::fmod);
}
BIF(math, erf, 1)
{
  return call(p, a, ::erf);
}
BIF(math, erfc, 1)
{
  return call(p, a, ::erfc);
}
BIF(math, ceil, 1)
{
  return call(p, a, ::ceil);
}
BIF(math, floor, 1)
{
  return call(p, a, ::floor);
}

}  // namespace wb
