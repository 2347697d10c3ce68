// lists:* and erlang:length, hd, tl, ++.
#include "term/order.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

// Elements a reduction.
constexpr int64_t kCopied = 20, kLookedAt = 16, kCompared = 10;

// The first tuple in `list` whose element `position` (1-based) == key; kNone if there is none,
// kBadarg for wrong arguments.
Term find_tuple(Process& p, Term key, Term position, Term list) {
  if (!is_small(position) || small_value(position) < 1) return kBadarg;
  const size_t n = static_cast<size_t>(small_value(position));
  BifBudget budget(p, kCompared);
  Word fits = 0;  // the header that was looked at last and found right: most have the same
  auto find = [&](auto is_it) {
    return each_element(&list, budget, [&](Term t) {
      if (!is_boxed(t)) return true;
      if (const Word header = header_of(t); WB_UNLIKELY(header != fits)) {
        if (header_kind(header) != Kind::tuple || header_size(header) < n) return true;
        fits = header;
      }
      return !is_it(tuple_elements(t)[n - 1]);
    });
  };
  const bool on = is_immediate(key) ? find([key](Term e) {
    return e == key || (!is_immediate(e) && is_small(key) && equal_slow(e, key));
  })
                                    : find([key](Term e) { return equal(e, key); });
  if (!on) return kCancelled;
  return is_cons(list) ? head(list) : is_nil(list) ? kNone : kBadarg;
}

Term append(Process& p, Term left, Term right) {
  BifBudget budget(p, kCopied);
  if (is_nil(right)) {
    int64_t n = budgeted_length(left, budget);
    return n >= 0 ? left : n == kLengthCancelled ? kCancelled : kBadarg;
  }
  ListBuilder list(p.heap);
  bool on = each_element(&left, budget, [&](Term t) { return list.add(t), true; });
  if (!on) return kCancelled;
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
  return t == kNone ? am::false_ : is_fault(t) ? t : am::true_;
}

BIF(lists, keysearch, 3)
{
  Term t = find_tuple(p, a[0], a[1], a[2]);
  return t == kNone ? am::false_ : is_fault(t) ? t : tuple(p.heap, am::value, t);
}

BIF(lists, member, 2)
{
  BifBudget budget(p, kLookedAt);
  Term list = a[1], wanted = a[0];
  bool on = each_element(&list, budget, [&](Term t) { return !equal_exact(t, wanted); });
  if (!on) return kCancelled;
  return is_cons(list) ? am::true_ : is_nil(list) ? am::false_ : kBadarg;
}

BIF(lists, reverse, 2)
{
  BifBudget budget(p, kCopied);
  ListCells cells(p.heap);
  Term list = a[0], result = a[1];
  bool on = each_element(&list, budget, [&](Term t) {
    Term* cell = cells.take();
    cell[0] = t;
    cell[1] = result;
    result = make_cons(cell);
    return true;
  });
  if (!on) return kCancelled;
  cells.give_back();
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
  BifBudget budget(p, kLookedAt);
  int64_t n = budgeted_length(a[0], budget);
  return n >= 0 ? make_small(n) : n == kLengthCancelled ? kCancelled : kBadarg;
}
GUARD_BODY(erlang, length, 1)
{
  GuardBudget budget(p, kLookedAt);
  int64_t n = budgeted_length(a[0], budget);
  return n >= 0 ? make_small(n) : n == kLengthCancelled ? kYield : kBadarg;
}

}  // namespace wb
