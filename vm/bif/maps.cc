// maps:*, and the map functions of erlang and erts_internal.
#include "term/map.h"

#include <algorithm>
#include <memory>

#include "term/lists.h"
#include "term/order.h"
#include "term/trie_hash.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

Term bad_map(GuardContext p, Term t) { return p.error(tuple(p.heap(), am::badmap, t)); }
Term bad_key(GuardContext p, Term key) { return p.error(tuple(p.heap(), am::badkey, key)); }

WB_INLINE Term get(GuardContext p, Term key, Term map) {
  if (!is_map(map)) return bad_map(p, map);
  Term value = map_get(map, key);
  return value == kNone ? bad_key(p, key) : value;
}

WB_INLINE Term has_key(GuardContext p, Term key, Term map) {
  if (!is_map(map)) return bad_map(p, map);
  return make_bool(map_get(map, key) != kNone);
}

// Steps a reduction: keys taken out, keys put in (with the comparisons of sorting them).
constexpr int64_t kTaken = 20, kPut = 20, kMerged = 4;

}  // namespace

BIF(maps, get, 2)
{
  return get(p, a[0], a[1]);
}
GUARD(erlang, map_get, 2)
{
  return get(p, a[0], a[1]);
}
BIF(maps, is_key, 2)
{
  return has_key(p, a[0], a[1]);
}
GUARD(erlang, is_map_key, 2)
{
  return has_key(p, a[0], a[1]);
}

BIF(maps, find, 2)
{
  if (!is_map(a[1])) return bad_map(p, a[1]);
  Term value = map_get(a[1], a[0]);
  return value == kNone ? am::error : tuple(p.heap, am::ok, value);
}

BIF(maps, put, 3)
{
  if (!is_map(a[2])) return bad_map(p, a[2]);
  return map_put(p.heap, a[2], a[0], a[1]);
}

BIF(maps, update, 3)
{
  if (!is_map(a[2])) return bad_map(p, a[2]);
  if (map_get(a[2], a[0]) == kNone) return bad_key(p, a[0]);
  return map_put(p.heap, a[2], a[0], a[1]);
}

BIF(maps, remove, 2)
{
  if (!is_map(a[1])) return bad_map(p, a[1]);
  return map_remove(p.heap, a[1], a[0]);
}

BIF(maps, take, 2)
{
  if (!is_map(a[1])) return bad_map(p, a[1]);
  Term value;
  Term rest = map_take(p.heap, a[1], a[0], &value);
  return value == kNone ? am::error : tuple(p.heap, value, rest);
}

BIF(maps, keys, 1)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  if (is_flatmap(a[0])) return list_of(p.heap, tuple_elements(flatmap_keys(a[0])), map_size(a[0]));
  BifBudget budget(p, kTaken);
  ListBuilder list(p.heap);
  Term key, value;
  for (MapLister i(a[0]); i.next(&key, &value);) {
    list.add(key);
    if (!budget.step()) return kCancelled;
  }
  return list.finish();
}

BIF(maps, values, 1)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  if (is_flatmap(a[0])) return list_of(p.heap, flatmap_values(a[0]), map_size(a[0]));
  BifBudget budget(p, kTaken);
  ListBuilder list(p.heap);
  Term key, value;
  for (MapLister i(a[0]); i.next(&key, &value);) {
    list.add(value);
    if (!budget.step()) return kCancelled;
  }
  return list.finish();
}

BIF(maps, merge, 2)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  if (!is_map(a[1])) return bad_map(p, a[1]);
  BifBudget budget(p, kMerged);
  Term merged = map_merge(p.heap, a[0], a[1], budget);
  return budget.stopped() ? kCancelled : merged;
}

namespace {

constexpr int64_t kFewPairs = 32;

/// The elements of a list become keys and values: take(element, pair) makes two terms of one.
template <class Take>
Term from_elements(Process& p, Term list, Take take) {
  BifBudget budget(p, kPut);
  int64_t n = budgeted_length(list, budget);
  if (n == kLengthCancelled) return kCancelled;
  if (n < 0) return kBadarg;
  Term few[2 * kFewPairs];
  std::unique_ptr<Term[]> many(n > kFewPairs ? new Term[static_cast<size_t>(n) * 2] : nullptr);
  Term* pairs = many ? many.get() : few;
  Term* to = pairs;
  bool on = each_element(&list, budget, [&](Term t) { return take(t, to) && (to += 2, true); });
  if (!on) return kCancelled;
  if (is_cons(list)) return kBadarg;
  Term map = map_from_pairs(p.heap, pairs, static_cast<size_t>(n), budget);
  return budget.stopped() ? kCancelled : map;
}

}  // namespace

BIF(maps, from_list, 1)
{
  return from_elements(p, a[0], [](Term element, Term* pair) {
    if (!is_tuple_of(element, 2)) return false;
    std::copy_n(tuple_elements(element), 2, pair);
    return true;
  });
}

BIF(maps, from_keys, 2)
{
  return from_elements(p, a[0], [value = a[1]](Term element, Term* pair) {
    pair[0] = element;
    pair[1] = value;
    return true;
  });
}

// --- iteration by parts -------------------------------------------------------------------------
namespace {

// A part ends between keys whose hashes differ; that of the next key is the path where the next
// part begins. The first is small: often somebody wants just any key.
constexpr size_t kFirstPart = 16, kPart = 128;

constexpr int64_t kNoMore = -1;

/// take(key, value) for the pairs of a part: the path of the next one, or kNoMore.
template <class Take>
int64_t take_part(Process& p, Term trie, uint32_t path, Take take) {
  MapIterator i = MapIterator::from_hash(trie, path);
  Term key, value;
  const size_t most = path == 0 ? kFirstPart : kPart;
  uint32_t last = 0;
  int64_t next = kNoMore;
  size_t n = 0;
  for (; i.next(&key, &value); ++n) {
    if (WB_UNLIKELY(n + 1 >= most)) {
      uint32_t own = trie_hash(key);
      if (n >= most && own != last) {
        next = own;
        break;
      }
      last = own;
    }
    take(key, value);
  }
  p.charge(static_cast<int64_t>(2 * n / 10));
  return next;
}

/// The iterator {K1, V1, {K2, V2, ... Rest}}, made from its outer end.
class NestedPairs {
 public:
  explicit NestedPairs(Heap& h) : heap_(h) {}
  void add(Term key, Term value) {
    Term* p = heap_.alloc(4);
    p[0] = make_header(Kind::tuple, 3);
    p[1] = key;
    p[2] = value;
    *link_ = make_boxed(p);
    link_ = p + 3;
  }
  Term finish(Term rest) {
    *link_ = rest;
    return first_;
  }

 private:
  Heap& heap_;
  Term first_;
  Term* link_ = &first_;
};

Term add_pair(Heap& h, Term key, Term value, Term list) {
  Term* p = h.alloc(5);
  p[0] = make_header(Kind::tuple, 2);
  p[1] = key;
  p[2] = value;
  p[3] = make_boxed(p);
  p[4] = list;
  return make_cons(p + 3);
}

Term flat_as_list(Heap& h, Term map, Term rest) {
  const size_t n = map_size(map), words = 3 + 2;  // a pair and its cell
  if (n == 0) return rest;
  const Term *keys = tuple_elements(flatmap_keys(map)), *values = flatmap_values(map);
  Term *const first = h.alloc(words * n), *p = first;
  for (size_t k = 0; k < n; ++k, p += words) {
    p[0] = make_header(Kind::tuple, 2);
    p[1] = keys[k];
    p[2] = values[k];
    p[3] = make_boxed(p);
    p[4] = make_cons(p + words + 3);
  }
  p[-1] = rest;
  return make_cons(first + 3);
}

Term flat_as_iterator(Heap& h, Term map) {
  const size_t n = map_size(map), words = 4;
  if (n == 0) return am::none;
  const Term *keys = tuple_elements(flatmap_keys(map)), *values = flatmap_values(map);
  Term *const first = h.alloc(words * n), *p = first;
  for (size_t k = 0; k < n; ++k, p += words) {
    p[0] = make_header(Kind::tuple, 3);
    p[1] = keys[k];
    p[2] = values[k];
    p[3] = make_boxed(p + words);
  }
  p[-1] = am::none;
  return make_boxed(first);
}

}  // namespace

/// Since OTP 26 the position may be a list of the keys to come (maps:iterator/2).
static Term next_by_keys(Process& p, Term keys, Term map) {
  NestedPairs pairs(p.heap);
  BifBudget budget(p, 2);
  for (; is_cons(keys); keys = tail(keys)) {
    Term value = map_get(map, head(keys));
    if (value == kNone) return kBadarg;
    pairs.add(head(keys), value);
    if (!budget.step()) return kCancelled;
  }
  return is_nil(keys) ? pairs.finish(am::none) : kBadarg;
}

BIF(erts_internal, map_next, 3)
{
  Term path = a[0], map = a[1], how = a[2];
  if (is_list(path) && is_map(map) && how == am::iterator && otp_release() >= 26) {
    return next_by_keys(p, path, map);
  }
  if (!is_small(path) || small_value(path) < 0 || !is_map(map)) return kBadarg;
  if (how != am::iterator && !is_list(how)) return kBadarg;
  if (is_flatmap(map)) {
    if (path > boxed_ptr(map)[1]) return kBadarg;
    p.charge(4);
    if (is_list(how)) return flat_as_list(p.heap, map, how);
    return flat_as_iterator(p.heap, map);
  }
  if (small_value(path) > UINT32_MAX) return kBadarg;
  const auto from = static_cast<uint32_t>(small_value(path));
  Heap& h = p.heap;
  if (how == am::iterator) {
    NestedPairs pairs(h);
    int64_t next = take_part(p, map, from, [&](Term key, Term value) { pairs.add(key, value); });
    return pairs.finish(next == kNoMore ? am::none : cons(h, make_small(next), map));
  }
  Term list = how;
  int64_t next =
      take_part(p, map, from, [&](Term key, Term value) { list = add_pair(h, key, value, list); });
  return next == kNoMore ? list : cons(h, make_small(next), cons(h, map, list));
}

BIF(erts_internal, map_to_tuple_keys, 1)
{
  if (is_flatmap(a[0])) return flatmap_keys(a[0]);
  return is_map(a[0]) ? kBadarg : bad_map(p, a[0]);
}

}  // namespace wb
