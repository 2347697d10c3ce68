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

/// each_element for f(element, cell), which fills a new cell for each and leaves a whole list
/// behind. The cells of eight elements are asked for at once.
template <class F>
WB_INLINE bool each_element_to_cell(Term* list, Heap& heap, WorkBudget& budget, F f) {
  constexpr int kAtOnce = 8;
  ListCells cells(heap);
  Term t = *list;
  bool on = true;
  do {
    if (WB_LIKELY(heap.has_room(2 * kAtOnce))) {
      Term *const first = heap.alloc(2 * kAtOnce), *cell = first;
#pragma clang loop unroll(full)
      for (int k = 0; k < kAtOnce && is_cell(t); ++k, cell += 2) {
        f(head(t), cell);
        t = tail(t);
      }
      heap.trim(first, 2 * kAtOnce, cell);
    } else {
#pragma clang loop unroll(disable)
      for (int k = 0; k < kAtOnce && is_cons(t); ++k, t = tail(t)) f(head(t), cells.take());
    }
    if (!is_cons(t)) break;
    on = budget.steps(kAtOnce);
  } while (on);
  cells.give_back();
  return *list = t, on;
}

Term append(Process& p, Term left, Term right) {
  BifBudget budget(p, kCopied);
  if (is_nil(right)) {
    int64_t n = budgeted_length(left, budget);
    return n >= 0 ? left : n == kLengthCancelled ? kCancelled : kBadarg;
  }
  Term first = kNil, *link = &first;
  const bool on = each_element_to_cell(&left, p.heap, budget, [&](Term t, Term* cell) {
    cell[0] = t;
    cell[1] = kNil;
    *link = make_cons(cell);
    link = cell + 1;
  });
  if (!on) return kCancelled;
  *link = right;
  return is_nil(left) ? first : kBadarg;
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
  const bool on =
      is_immediate(wanted)
          ? each_element(&list, budget, [wanted](Term t) { return t != wanted; })
          : each_element(&list, budget, [wanted](Term t) { return !equal_exact(t, wanted); });
  if (!on) return kCancelled;
  return is_cons(list) ? am::true_ : is_nil(list) ? am::false_ : kBadarg;
}

BIF(lists, reverse, 2)
{
  BifBudget budget(p, kCopied);
  Term list = a[0], result = a[1];
  const bool on = each_element_to_cell(&list, p.heap, budget, [&](Term t, Term* cell) {
    cell[0] = t;
    cell[1] = result;
    result = make_cons(cell);
  });
  if (!on) return kCancelled;
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
