// Arithmetic, comparison and boolean operators as functions. Compiled code has instructions for
// most of them and comes here only for apply, erlang:'+'(A, B) and the cases it does not inline;
// what they compute is in term/number.h and term/order.h.
#include "term/number.h"
#include "term/order.h"
#include "vm/bif/bif.h"
#include "vm/process/long_arithmetic.h"

namespace wb {

/// compare(a, b) > 0; of small integers without the call.
static WB_INLINE bool is_greater(Term a, Term b) {
  if (WB_LIKELY(are_small(a, b))) return static_cast<int64_t>(a) > static_cast<int64_t>(b);
  return compare(a, b) > 0;
}
// Of two that are equal, the first.
GUARD(erlang, min, 2)
{
  return is_greater(a[0], a[1]) ? a[1] : a[0];
}
GUARD(erlang, max, 2)
{
  return is_greater(a[1], a[0]) ? a[1] : a[0];
}
GUARD(erlang, plus, 1)
{
  return is_number(a[0]) ? a[0] : kBadarith;
}
GUARD(erlang, minus, 1)
{
  return num_neg(p.heap(), a[0]);
}
GUARD(erlang, plus, 2)
{
  return num_add(p.heap(), a[0], a[1]);
}
GUARD(erlang, minus, 2)
{
  return num_sub(p.heap(), a[0], a[1]);
}
static Term integers(Process& p, NumberOp op, Term name, const Term* a) {
  if (WB_LIKELY(!may_take_long(a[0], a[1]))) return op(p.heap, a[0], a[1]);
  return long_operation(p, op, name, a[0], a[1]);
}

/// The same in instructions, which mostly have operators of their own for it.
static Term short_integers(GuardContext p, NumberOp op, const Term* a) {
  return may_take_long(a[0], a[1]) ? kYield : op(p.heap(), a[0], a[1]);
}

BIF(erlang, times, 2)
{
  return integers(p, num_mul, am::times, a);
}
GUARD_BODY(erlang, times, 2)
{
  return short_integers(p, num_mul, a);
}
GUARD(erlang, divide, 2)
{
  return num_divide(p.heap(), a[0], a[1]);
}
BIF(erlang, div, 2)
{
  return integers(p, num_div, am::div, a);
}
GUARD_BODY(erlang, div, 2)
{
  return short_integers(p, num_div, a);
}
BIF(erlang, rem, 2)
{
  return integers(p, num_rem, am::rem, a);
}
GUARD_BODY(erlang, rem, 2)
{
  return short_integers(p, num_rem, a);
}

GUARD(erlang, band, 2)
{
  return num_band(p.heap(), a[0], a[1]);
}
GUARD(erlang, bor, 2)
{
  return num_bor(p.heap(), a[0], a[1]);
}
GUARD(erlang, bxor, 2)
{
  return num_bxor(p.heap(), a[0], a[1]);
}
GUARD(erlang, bnot, 1)
{
  return num_bnot(p.heap(), a[0]);
}
GUARD(erlang, bsl, 2)
{
  return num_bsl(p.heap(), a[0], a[1]);
}
GUARD(erlang, bsr, 2)
{
  return num_bsr(p.heap(), a[0], a[1]);
}

GUARD(erlang, abs, 1)
{
  return num_abs(p.heap(), a[0]);
}
GUARD(erlang, float, 1)
{
  return num_float(p.heap(), a[0]);
}
GUARD(erlang, round, 1)
{
  return num_round(p.heap(), a[0]);
}
GUARD(erlang, trunc, 1)
{
  return num_trunc(p.heap(), a[0]);
}
GUARD(erlang, floor, 1)
{
  return num_floor(p.heap(), a[0]);
}
GUARD(erlang, ceil, 1)
{
  return num_ceil(p.heap(), a[0]);
}

GUARD(erlang, equal, 2)
{
  return make_bool(equal(a[0], a[1]));
}
GUARD(erlang, not_equal, 2)
{
  return make_bool(!equal(a[0], a[1]));
}
GUARD(erlang, equal_exact, 2)
{
  return make_bool(equal_exact(a[0], a[1]));
}
GUARD(erlang, not_equal_exact, 2)
{
  return make_bool(!equal_exact(a[0], a[1]));
}
GUARD(erlang, less, 2)
{
  return make_bool(compare(a[0], a[1]) < 0);
}
GUARD(erlang, less_or_equal, 2)
{
  return make_bool(compare(a[0], a[1]) <= 0);
}
GUARD(erlang, greater, 2)
{
  return make_bool(compare(a[0], a[1]) > 0);
}
GUARD(erlang, greater_or_equal, 2)
{
  return make_bool(compare(a[0], a[1]) >= 0);
}

static bool is_bool(Term t) { return t == am::true_ || t == am::false_; }
static bool are_bools(const Term* a) { return is_bool(a[0]) && is_bool(a[1]); }

GUARD(erlang, and_, 2)
{
  return are_bools(a) ? make_bool(a[0] == am::true_ && a[1] == am::true_) : kBadarg;
}
GUARD(erlang, or_, 2)
{
  return are_bools(a) ? make_bool(a[0] == am::true_ || a[1] == am::true_) : kBadarg;
}
GUARD(erlang, xor_, 2)
{
  return are_bools(a) ? make_bool(a[0] != a[1]) : kBadarg;
}
GUARD(erlang, not_, 1)
{
  return is_bool(a[0]) ? make_bool(a[0] == am::false_) : kBadarg;
}

}  // namespace wb
