// lists:* and erlang:length, hd, tl, ++.
#include "term/order.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

void charge_elements(Process& p, size_t n) { p.charge(static_cast<int64_t>(n / 10)); }

// The first tuple in `list` whose element `position` (1-based) == key; kNone if there is none,
// kBadarg for wrong arguments.
Term find_tuple(Process& p, Term key, Term position, Term list) {
  if (!is_small(position) || small_value(position) < 1) return kBadarg;
  size_t n = static_cast<size_t>(small_value(position)), seen = 0;
  for (; is_cons(list); list = tail(list), ++seen) {
    Term t = head(list);
    if (is_tuple(t) && tuple_arity(t) >= n && equal(tuple_elements(t)[n - 1], key)) {
      charge_elements(p, seen);
      return t;
    }
  }
  charge_elements(p, seen);
  return is_nil(list) ? kNone : kBadarg;
}

Term append(Process& p, Term left, Term right) {
  if (is_nil(right)) return list_length(left) < 0 ? kBadarg : left;
  size_t n = 0;
  ListBuilder list(p.heap);
  for (; is_cons(left); left = tail(left), ++n) list.add(head(left));
  charge_elements(p, n);
  return is_nil(left) ? list.finish(right) : kBadarg;
}

}  // namespace

BIF(lists, keyfind, 3)
{
  Term t = find_tuple(p, a[0], a[1], a[2]);
  return t == kNone ? am::false_ : t;
}

BIF(lists, keymember, 3)
{
  Term t = find_tuple(p, a[0], a[1], a[2]);
  return t == kNone ? am::false_ : t == kBadarg ? kBadarg : am::true_;
}

BIF(lists, keysearch, 3)
{
  Term t = find_tuple(p, a[0], a[1], a[2]);
  return t == kNone ? am::false_ : t == kBadarg ? kBadarg : tuple(p.heap, am::value, t);
}

BIF(lists, member, 2)
{
  size_t n = 0;
  Term list = a[1];
  for (; is_cons(list); list = tail(list), ++n) {
    if (equal_exact(head(list), a[0])) {
      charge_elements(p, n);
      return am::true_;
    }
  }
  charge_elements(p, n);
  return is_nil(list) ? am::false_ : kBadarg;
}

BIF(lists, reverse, 2)
{
  size_t n = 0;
  Term list = a[0], result = a[1];
  for (; is_cons(list); list = tail(list), ++n) result = cons(p.heap, head(list), result);
  charge_elements(p, n);
  return is_nil(list) ? result : kBadarg;
}

BIF(erlang, plus_plus, 2)
{
  return append(p, a[0], a[1]);
}
BIF(erlang, append, 2)
{
  return append(p, a[0], a[1]);
}

BIF(erlang, length, 1)
{
  int64_t n = list_length(a[0]);
  if (n < 0) return kBadarg;
  charge_elements(p, static_cast<size_t>(n));
  return make_small(n);
}

BIF(erlang, hd, 1)
{
  return is_cons(a[0]) ? head(a[0]) : kBadarg;
}
BIF(erlang, tl, 1)
{
  return is_cons(a[0]) ? tail(a[0]) : kBadarg;
}

}  // namespace wb
