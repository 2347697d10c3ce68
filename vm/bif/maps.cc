// maps:*, and the map functions of erlang and erts_internal.
#include "term/map.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "term/hash.h"
#include "term/order.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

Term bad_map(Process& p, Term t) { return p.error(tuple(p.heap, am::badmap, t)); }
Term bad_key(Process& p, Term key) { return p.error(tuple(p.heap, am::badkey, key)); }

Term get(Process& p, Term key, Term map) {
  if (!is_map(map)) return bad_map(p, map);
  Term value = map_get(map, key);
  return value == kNone ? bad_key(p, key) : value;
}

Term has_key(Process& p, Term key, Term map) {
  if (!is_map(map)) return bad_map(p, map);
  return make_bool(map_get(map, key) != kNone);
}

// Steps a reduction: keys taken out, keys put in (with the comparisons of sorting them).
constexpr int64_t kTaken = 20, kPut = 20, kMerged = 4;

void charge_elements(Process& p, size_t n) { p.charge(static_cast<int64_t>(n / 10)); }

}  // namespace

BIF(maps, get, 2)
{
  return get(p, a[0], a[1]);
}
BIF(erlang, map_get, 2)
{
  return get(p, a[0], a[1]);
}
BIF(maps, is_key, 2)
{
  return has_key(p, a[0], a[1]);
}
BIF(erlang, is_map_key, 2)
{
  return has_key(p, a[0], a[1]);
}

BIF(erlang, map_size, 1)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  return make_small(static_cast<int64_t>(map_size(a[0])));
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
  Term value = map_get(a[1], a[0]);
  if (value == kNone) return am::error;
  return tuple(p.heap, value, map_remove(p.heap, a[1], a[0]));
}

BIF(maps, keys, 1)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  BifPace pace(p, kTaken);
  ListBuilder list(p.heap);
  Term key, value;
  for (MapIterator i(a[0]); i.next(&key, &value);) {
    list.add(key);
    if (!pace.step()) return kCancelled;
  }
  return list.finish();
}

BIF(maps, values, 1)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  BifPace pace(p, kTaken);
  ListBuilder list(p.heap);
  Term key, value;
  for (MapIterator i(a[0]); i.next(&key, &value);) {
    list.add(value);
    if (!pace.step()) return kCancelled;
  }
  return list.finish();
}

BIF(maps, merge, 2)
{
  if (!is_map(a[0])) return bad_map(p, a[0]);
  if (!is_map(a[1])) return bad_map(p, a[1]);
  BifPace pace(p, kMerged);
  Term merged = map_merge(p.heap, a[0], a[1], pace);
  return pace.stopped() ? kCancelled : merged;
}

namespace {

/// The elements of a list become keys and values: take(element, pair) makes two terms of one.
template <class Take>
Term from_elements(Process& p, Term list, Take take) {
  BifPace pace(p, kPut);
  int64_t n = paced_length(list, pace);
  if (n == kLengthCancelled) return kCancelled;
  if (n < 0) return kBadarg;
  std::unique_ptr<Term[]> pairs(new Term[static_cast<size_t>(n) * 2]);
  Term* to = pairs.get();
  bool on = each_element(&list, pace, [&](Term t) { return take(t, to) && (to += 2, true); });
  if (!on) return kCancelled;
  if (is_cons(list)) return kBadarg;
  Term map = map_from_pairs(p.heap, pairs.get(), static_cast<size_t>(n), pace);
  return pace.stopped() ? kCancelled : map;
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

// A part ends between keys whose hashes differ in the upper 56 bits; those of the next key are the
// path, a small integer, where the next part begins.
constexpr int kPathShift = 8;
constexpr size_t kPart = 128;

struct Part {
  std::vector<Term> pairs;
  bool more = false;
  uint64_t path = 0;  // of the next part
};

Part take_part(Term trie, uint64_t path) {
  Part part;
  MapIterator i = MapIterator::from_hash(trie, path << kPathShift);
  Term key, value;
  uint64_t last = 0;
  while (i.next(&key, &value)) {
    if (part.pairs.size() >= 2 * kPart) {
      uint64_t next = map_hash(key) >> kPathShift;
      if (next != last) {
        part.more = true;
        part.path = next;
        break;
      }
    }
    if (part.pairs.size() >= 2 * kPart - 2) last = map_hash(key) >> kPathShift;
    part.pairs.push_back(key);
    part.pairs.push_back(value);
  }
  return part;
}

Term next_as_iterator(Heap& h, Term map, const Part& part) {
  Term result = am::none;
  if (part.more) result = cons(h, make_small(static_cast<int64_t>(part.path)), map);
  for (size_t i = part.pairs.size(); i > 0; i -= 2) {
    result = tuple(h, part.pairs[i - 2], part.pairs[i - 1], result);
  }
  return result;
}

Term next_as_list(Heap& h, Term map, const Part& part, Term rest) {
  for (size_t i = 0; i < part.pairs.size(); i += 2) {
    rest = cons(h, tuple(h, part.pairs[i], part.pairs[i + 1]), rest);
  }
  if (!part.more) return rest;
  return cons(h, make_small(static_cast<int64_t>(part.path)), cons(h, map, rest));
}

Term flat_as_list(Heap& h, Term map, Term rest) {
  ListBuilder list(h);
  Term key, value;
  for (MapIterator i(map); i.next(&key, &value);) list.add(tuple(h, key, value));
  return list.finish(rest);
}

Part whole(Term flatmap) {
  Part part;
  Term key, value;
  for (MapIterator i(flatmap); i.next(&key, &value);) {
    part.pairs.push_back(key);
    part.pairs.push_back(value);
  }
  return part;
}

}  // namespace

BIF(erts_internal, map_next, 3)
{
  Term path = a[0], map = a[1], how = a[2];
  if (!is_small(path) || small_value(path) < 0 || !is_map(map)) return kBadarg;
  if (how != am::iterator && !is_list(how)) return kBadarg;
  if (is_flatmap(map)) {
    if (path > boxed_ptr(map)[1]) return kBadarg;
    p.charge(4);
    if (is_list(how)) return flat_as_list(p.heap, map, how);
    return next_as_iterator(p.heap, map, whole(map));
  }
  if (static_cast<uint64_t>(small_value(path)) >> (64 - kPathShift)) return kBadarg;
  Part part = take_part(map, static_cast<uint64_t>(small_value(path)));
  charge_elements(p, part.pairs.size());
  return how == am::iterator ? next_as_iterator(p.heap, map, part)
                             : next_as_list(p.heap, map, part, how);
}

BIF(erts_internal, map_to_tuple_keys, 1)
{
  if (is_flatmap(a[0])) return flatmap_keys(a[0]);
  return is_map(a[0]) ? kBadarg : bad_map(p, a[0]);
}

}  // namespace wb
