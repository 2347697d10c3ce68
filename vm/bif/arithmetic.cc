// Arithmetic, comparison and boolean operators as functions. Compiled code has instructions for
// most of them and comes here only for apply, erlang:'+'(A, B) and the cases it does not inline;
// what they compute is in term/number.h and term/order.h.
#include "term/number.h"
#include "term/order.h"
#include "vm/bif/bif.h"
#include "vm/process/long_arithmetic.h"

namespace wb {

// Of two that are equal, the first.
BIF(erlang, min, 2)
{
  return compare(a[0], a[1]) > 0 ? a[1] : a[0];
}
BIF(erlang, max, 2)
{
  return compare(a[0], a[1]) < 0 ? a[1] : a[0];
}
BIF(erlang, plus, 1)
{
  return is_number(a[0]) ? a[0] : kBadarith;
}
BIF(erlang, minus, 1)
{
  return num_neg(p.heap, a[0]);
}
BIF(erlang, plus, 2)
{
  return num_add(p.heap, a[0], a[1]);
}
BIF(erlang, minus, 2)
{
  return num_sub(p.heap, a[0], a[1]);
}
static Term integers(Process& p, NumberOp op, Term name, const Term* a) {
  if (WB_LIKELY(!may_take_long(a[0], a[1]))) return op(p.heap, a[0], a[1]);
  return long_operation(p, op, name, a[0], a[1], true);
}

BIF(erlang, times, 2)
{
  return integers(p, num_mul, am::times, a);
}
BIF(erlang, divide, 2)
{
  return num_divide(p.heap, a[0], a[1]);
}
BIF(erlang, div, 2)
{
  return integers(p, num_div, am::div, a);
}
BIF(erlang, rem, 2)
{
  return integers(p, num_rem, am::rem, a);
}

BIF(erlang, band, 2)
{
  return num_band(p.heap, a[0], a[1]);
}
BIF(erlang, bor, 2)
{
  return num_bor(p.heap, a[0], a[1]);
}
BIF(erlang, bxor, 2)
{
  return num_bxor(p.heap, a[0], a[1]);
}
BIF(erlang, bnot, 1)
{
  return num_bnot(p.heap, a[0]);
}
BIF(erlang, bsl, 2)
{
  return num_bsl(p.heap, a[0], a[1]);
}
BIF(erlang, bsr, 2)
{
  return num_bsr(p.heap, a[0], a[1]);
}

BIF(erlang, abs, 1)
{
  return num_abs(p.heap, a[0]);
}
BIF(erlang, float, 1)
{
  return num_float(p.heap, a[0]);
}
BIF(erlang, round, 1)
{
  return num_round(p.heap, a[0]);
}
BIF(erlang, trunc, 1)
{
  return num_trunc(p.heap, a[0]);
}
BIF(erlang, floor, 1)
{
  return num_floor(p.heap, a[0]);
}
BIF(erlang, ceil, 1)
{
  return num_ceil(p.heap, a[0]);
}

BIF(erlang, equal, 2)
{
  return make_bool(equal(a[0], a[1]));
}
BIF(erlang, not_equal, 2)
{
  return make_bool(!equal(a[0], a[1]));
}
BIF(erlang, equal_exact, 2)
{
  return make_bool(equal_exact(a[0], a[1]));
}
BIF(erlang, not_equal_exact, 2)
{
  return make_bool(!equal_exact(a[0], a[1]));
}
BIF(erlang, less, 2)
{
  return make_bool(compare(a[0], a[1]) < 0);
}
BIF(erlang, less_or_equal, 2)
{
  return make_bool(compare(a[0], a[1]) <= 0);
}
BIF(erlang, greater, 2)
{
  return make_bool(compare(a[0], a[1]) > 0);
}
BIF(erlang, greater_or_equal, 2)
{
  return make_bool(compare(a[0], a[1]) >= 0);
}

static bool is_bool(Term t) { return t == am::true_ || t == am::false_; }
static bool are_bools(const Term* a) { return is_bool(a[0]) && is_bool(a[1]); }

BIF(erlang, and_, 2)
{
  return are_bools(a) ? make_bool(a[0] == am::true_ && a[1] == am::true_) : kBadarg;
}
BIF(erlang, or_, 2)
{
  return are_bools(a) ? make_bool(a[0] == am::true_ || a[1] == am::true_) : kBadarg;
}
BIF(erlang, xor_, 2)
{
  return are_bools(a) ? make_bool(a[0] != a[1]) : kBadarg;
}
BIF(erlang, not_, 1)
{
  return is_bool(a[0]) ? make_bool(a[0] == am::false_) : kBadarg;
}

}  // namespace wb
