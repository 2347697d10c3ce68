// Tuples: all positions are 1-based.
#include <algorithm>

#include "base/work_budget.h"
#include "term/binary.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

constexpr uint64_t kMaxArity = (1 << 24) - 1;

/// 0..max, or -1.
int64_t bounded(Term t, uint64_t max) {
  if (!is_small(t) || small_value(t) < 0) return -1;
  return static_cast<uint64_t>(small_value(t)) <= max ? small_value(t) : -1;
}

constexpr int64_t kCopied = 10;     // times 16 bytes (two elements), a reduction
constexpr int64_t kConverted = 50;  // elements a reduction

constexpr uint64_t kFew = 1000;  // elements that need no budget

WB_COLD bool copy_many(Process& p, const Term* from, uint64_t n, Term* to) {
  BifBudget budget(p, kCopied);
  return in_chunks(n * sizeof(Term), budget, [&](size_t at, size_t bytes) {
    memcpy(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at, bytes);
  });
}

/// Copies n terms; false: cancelled.
WB_INLINE bool copy_terms(Process& p, const Term* from, uint64_t n, Term* to) {
  if (WB_UNLIKELY(n > kFew)) return copy_many(p, from, n, to);
  std::copy_n(from, n, to);
  return true;
}

Term filled(Process& p, uint64_t n, Term value, Term** elements) {
  Term t = new_tuple(p.heap, n, elements);
  Term* e = *elements;
  if (WB_LIKELY(n <= kFew)) return std::fill_n(e, n, value), t;
  BifBudget budget(p, kCopied);
  bool on = in_chunks(n * sizeof(Term), budget, [&](size_t at, size_t bytes) {
    std::fill_n(e + at / sizeof(Term), bytes / sizeof(Term), value);
  });
  return on ? t : kCancelled;
}

// A copy with room for one more at `position`.
Term with_gap(Process& p, Term t, uint64_t position, Term value) {
  uint64_t n = tuple_arity(t);
  if (n == kMaxArity) return kBadarg;
  const Term* old = tuple_elements(t);
  Term* e;
  Term result = new_tuple(p.heap, n + 1, &e);
  e[position] = value;
  bool on = copy_terms(p, old, position, e) &&
            copy_terms(p, old + position, n - position, e + position + 1);
  return on ? result : kCancelled;
}

}  // namespace

BIF(erlang, setelement, 3)
{
  if (!is_tuple(a[1])) return kBadarg;
  uint64_t n = tuple_arity(a[1]);
  int64_t i = bounded(a[0], n);
  if (i < 1) return kBadarg;
  Term* e;
  Term result = new_tuple(p.heap, n, &e);
  if (!copy_terms(p, tuple_elements(a[1]), n, e)) return kCancelled;
  e[i - 1] = a[2];
  return result;
}

GUARD(erlang, tuple_size, 1)
{
  return is_tuple(a[0]) ? make_small(static_cast<int64_t>(tuple_arity(a[0]))) : kBadarg;
}

GUARD(erlang, size, 1)
{
  if (is_tuple(a[0])) return make_small(static_cast<int64_t>(tuple_arity(a[0])));
  if (is_bitstring(a[0])) return make_small(static_cast<int64_t>(bit_size(a[0]) / 8));
  return kBadarg;
}

BIF(erlang, make_tuple, 2)
{
  int64_t n = bounded(a[0], kMaxArity);
  if (n < 0) return kBadarg;
  Term* e;
  return filled(p, static_cast<uint64_t>(n), a[1], &e);
}

BIF(erlang, make_tuple, 3)
{
  int64_t n = bounded(a[0], kMaxArity);
  if (n < 0) return kBadarg;
  Term* e;
  Term result = filled(p, static_cast<uint64_t>(n), a[1], &e);
  if (is_fault(result)) return result;
  BifBudget budget(p, kConverted);
  Term list = a[2];
  for (; is_cons(list); list = tail(list)) {
    if (!is_tuple_of(head(list), 2)) return kBadarg;
    const Term* pair = tuple_elements(head(list));
    int64_t i = bounded(pair[0], static_cast<uint64_t>(n));
    if (i < 1) return kBadarg;
    e[i - 1] = pair[1];
    if (!budget.step()) return kCancelled;
  }
  return is_nil(list) ? result : kBadarg;
}

BIF(erlang, append_element, 2)
{
  return is_tuple(a[0]) ? with_gap(p, a[0], tuple_arity(a[0]), a[1]) : kBadarg;
}

BIF(erlang, insert_element, 3)
{
  if (!is_tuple(a[1])) return kBadarg;
  int64_t i = bounded(a[0], tuple_arity(a[1]) + 1);
  return i < 1 ? kBadarg : with_gap(p, a[1], static_cast<uint64_t>(i - 1), a[2]);
}

BIF(erlang, delete_element, 2)
{
  if (!is_tuple(a[1])) return kBadarg;
  uint64_t n = tuple_arity(a[1]);
  int64_t i = bounded(a[0], n);
  if (i < 1) return kBadarg;
  const Term* old = tuple_elements(a[1]);
  const auto before = static_cast<uint64_t>(i) - 1;
  Term* e;
  Term result = new_tuple(p.heap, n - 1, &e);
  bool on = copy_terms(p, old, before, e) && copy_terms(p, old + i, n - 1 - before, e + before);
  return on ? result : kCancelled;
}

BIF(erlang, tuple_to_list, 1)
{
  if (!is_tuple(a[0])) return kBadarg;
  size_t n = tuple_arity(a[0]);
  const Term* elements = tuple_elements(a[0]);
  constexpr size_t kChunk = 2048;
  BifBudget budget(p, kConverted);
  Term list = kNil;
  while (n > 0) {
    const size_t chunk = std::min(n, kChunk);
    n -= chunk;
    Term* cells = p.heap.alloc(2 * chunk);
    for (size_t k = 0; k < chunk; ++k) {
      cells[2 * k] = elements[n + k];
      cells[2 * k + 1] = make_cons(cells + 2 * k + 2);
    }
    cells[2 * chunk - 1] = list;
    list = make_cons(cells);
    if (!budget.steps(static_cast<int64_t>(chunk))) return kCancelled;
  }
  return list;
}

BIF(erlang, list_to_tuple, 1)
{
  BifBudget budget(p, 2 * kConverted);
  int64_t n = budgeted_length(a[0], budget);
  if (n == kLengthCancelled) return kCancelled;
  if (n < 0 || static_cast<uint64_t>(n) > kMaxArity) return kBadarg;
  Term* e;
  Term result = new_tuple(p.heap, static_cast<size_t>(n), &e);
  Term list = a[0];
  return each_element(&list, budget, [&](Term t) { return *e++ = t, true; }) ? result : kCancelled;
}

}  // namespace wb
