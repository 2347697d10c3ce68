#include "term/map.h"

#include <algorithm>
#include <vector>

#include "term/atom.h"
#include "term/hash_trie.h"
#include "term/order.h"
#include "term/trie_hash.h"

namespace wb {
namespace {

using trie::Pair;

constexpr size_t kAbsent = SIZE_MAX;

const Term* keys_of(Term flatmap) { return boxed_ptr(flatmap_keys(flatmap)) + 1; }

struct KeyPosition {
  size_t at;  ///< where the key is, or belongs
  bool found;
};
/// Orders keys of which one is a small integer or an atom, if the kinds decide: 1 < atom < {tuple}.
/// 2: they do not.
WB_INLINE int order_of_kinds(Term a, Term b) {
  if (is_small(a)) return is_atom(b) || is_tuple(b) ? -1 : 2;
  if (is_atom(a)) return is_small(b) ? 1 : is_tuple(b) ? -1 : 2;
  return is_tuple(a) && (is_small(b) || is_atom(b)) ? 1 : 2;
}
/// compare_keys, in line for what programs number and name their variables, nodes and coordinates
/// by: small integers, atoms, and tuples of one size that begin alike and have those then.
WB_INLINE int compare_near(Term a, Term b) {
  for (;;) {
    if (are_small(a, b)) return small_value(a) < small_value(b) ? -1 : a != b;
    if (is_atom(a) && is_atom(b)) return compare_atoms(a, b);
    if (const int order = order_of_kinds(a, b); order != 2) return order;
    if (!is_tuple(a) || !is_boxed(b) || header_of(a) != header_of(b)) return compare_keys(a, b);
    const Term *p = boxed_ptr(a) + 1, *q = boxed_ptr(b) + 1, *last = p + header_size(p[-1]) - 1;
    while (p < last && *p == *q) ++p, ++q;
    // Words that differ, one of them an integer or an atom, are no equal terms.
    const bool decides = p == last || is_small(*p) || is_small(*q) || is_atom(*p) || is_atom(*q);
    if (!decides || p > last) return compare_keys(a, b);
    a = *p, b = *q;
  }
}

/// In keys in their order.
KeyPosition position_of(const Term* keys, size_t n, Term key) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int c = keys[middle] == key ? 0 : compare_near(keys[middle], key);
    if (c == 0) return {middle, true};
    c < 0 ? low = middle + 1 : high = middle;
  }
  return {low, false};
}

/// Where the very word is, four to a branch. Of the boxed keys that programs ask for and find, most
/// are the term that was put (in OTP's compiler 94 of 100).
WB_INLINE size_t find_word(const Term* keys, size_t n, Term word) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const Term* k = keys + i;
    if ((k[0] == word) | (k[1] == word) | (k[2] == word) | (k[3] == word)) break;
  }
  for (; i < n; ++i) {
    if (keys[i] == word) return i;
  }
  return kAbsent;
}

/// Where a key is, or belongs, that is to be put: among a few atoms without a branch for each.
WB_INLINE KeyPosition position_to_put(const Term* keys, size_t n, Term key) {
  constexpr size_t kFew = 12;
  if (const size_t at = find_word(keys, n, key); at != kAbsent) return {at, true};
  const bool atoms = is_atom(key) && n > 0 && n <= kFew && is_atom(keys[0]) && is_atom(keys[n - 1]);
  if (atoms) return {atoms_before(keys, n, key), false};
  if (n > 0 && compare_near(keys[n - 1], key) < 0) return {n, false};  // often sorted already
  return position_of(keys, n, key);
}

/// A key that is equal only to itself is looked for as a word: atoms are ordered by their text.
size_t find_key(Term map, Term key) {
  const Term* keys = keys_of(map);
  const size_t n = map_size(map), at = find_word(keys, n, key);
  if (at != kAbsent || is_immediate(key)) return at;
  KeyPosition position = position_of(keys, n, key);
  return position.found ? position.at : kAbsent;
}

/// At most 32, mostly a few.
WB_INLINE void copy_words(const Term* from, size_t n, Term* to) {
  for (size_t i = 0; i < n; ++i) {
    to[i] = from[i];
    asm volatile("");  // else this becomes a call of memcpy, which takes longer
  }
}

WB_INLINE Term new_flatmap(Heap& h, Term keys, size_t n, Term** values) {
  Term* p = h.alloc(n + 3);
  p[0] = make_header(Kind::flatmap, n + 2);
  p[1] = make_small(static_cast<int64_t>(n));
  p[2] = keys;
  *values = p + 3;
  return make_boxed(p);
}

Term with_value(Heap& h, Term map, size_t at, Term value) {
  size_t n = map_size(map);
  Term* values;
  Term result = new_flatmap(h, flatmap_keys(map), n, &values);
  copy_words(flatmap_values(map), n, values);
  values[at] = value;
  return result;
}

// A copy with other values for n <= 32 keys; kNone if some key is not there. Keys that come in the
// map's order are found in one walk.
Term with_values(Heap& h, Term map, const Term* pairs, size_t n) {
  const Term* keys = keys_of(map);
  const size_t size = map_size(map);
  uint8_t at[kMaxFlatMap];
  for (size_t i = 0, from = 0; i < n; ++i) {
    while (from < size && keys[from] != pairs[2 * i]) ++from;
    if (WB_UNLIKELY(from == size)) from = find_key(map, pairs[2 * i]);
    if (from == kAbsent) return kNone;
    at[i] = static_cast<uint8_t>(from++);
  }
  Term* values;
  Term result = new_flatmap(h, flatmap_keys(map), size, &values);
  copy_words(flatmap_values(map), size, values);
  for (size_t i = 0; i < n; ++i) values[at[i]] = pairs[2 * i + 1];
  return result;
}

// A key that is not in a map of less than 32, at its place in their order.
Term with_key(Heap& h, Term map, size_t at, Term key, Term value) {
  const Term *keys = keys_of(map), *values = flatmap_values(map);
  size_t n = map_size(map);
  auto insert = [&](const Term* from, Term* to, Term what) {
    copy_words(from, at, to);
    to[at] = what;
    copy_words(from + at, n - at, to + at + 1);
  };
  Term *new_keys, *new_values;
  Term key_tuple = new_tuple(h, n + 1, &new_keys);
  insert(keys, new_keys, key);
  Term result = new_flatmap(h, key_tuple, n + 1, &new_values);
  insert(values, new_values, value);
  return result;
}

Term without_key(Heap& h, Term map, size_t at) {
  size_t n = map_size(map) - 1;
  auto leave_out = [&](const Term* from, Term* to) {
    for (size_t i = 0; i < at; ++i) to[i] = from[i];
    for (size_t i = at; i < n; ++i) to[i] = from[i + 1];
  };
  Term *keys, *values;
  Term key_tuple = new_tuple(h, n, &keys);
  leave_out(keys_of(map), keys);
  Term result = new_flatmap(h, key_tuple, n, &values);
  leave_out(flatmap_values(map), values);
  return result;
}

/// Keys in their order with their values: a flat map in the making, or one that grows too large.
class SortedPairs {
 public:
  SortedPairs() = default;
  explicit SortedPairs(Term flatmap) : size_(map_size(flatmap)) {
    copy_words(keys_of(flatmap), size_, keys_);
    copy_words(flatmap_values(flatmap), size_, values_);
  }

  /// A present key's value is replaced, and its key: of 0.0 and -0.0 the later stays.
  void put(Term key, Term value) {
    const auto [at, found] = position_to_put(keys_, size_, key);
    if (!found) {
      std::copy_backward(keys_ + at, keys_ + size_, keys_ + size_ + 1);
      std::copy_backward(values_ + at, values_ + size_, values_ + size_ + 1);
      ++size_;
    }
    keys_[at] = key, values_[at] = value;
  }
  /// A key that belongs behind all others.
  void append(Term key, Term value) { keys_[size_] = key, values_[size_++] = value; }

  Term build(Heap& h) const {
    if (WB_UNLIKELY(size_ > kMaxFlatMap)) return build_trie(h);
    Term *keys, *values;
    Term key_tuple = new_tuple(h, size_, &keys);
    Term result = new_flatmap(h, key_tuple, size_, &values);
    copy_words(keys_, size_, keys);
    copy_words(values_, size_, values);
    return result;
  }
  Term build_trie(Heap& h) const {
    Pair pairs[2 * kMaxFlatMap];
    for (size_t i = 0; i < size_; ++i) pairs[i] = {keys_[i], values_[i]};
    UnlimitedBudget budget;
    return trie::build(h, pairs, size_, budget);
  }

 private:
  size_t size_ = 0;
  Term keys_[2 * kMaxFlatMap], values_[2 * kMaxFlatMap];
};

// A trie that may have become small enough to be flat.
Term normalised(Heap& h, Term trie) {
  if (map_size(trie) > kMaxFlatMap) return trie;
  SortedPairs pairs;
  Term key, value;
  for (MapIterator i(trie); i.next(&key, &value);) pairs.put(key, value);
  return pairs.build(h);
}

Term merge_flat(Heap& h, Term a, Term b) {
  SortedPairs pairs;
  const Term *x = keys_of(a), *y = keys_of(b);
  size_t n = map_size(a), m = map_size(b), i = 0, j = 0;
  while (i < n || j < m) {
    int c = i == n ? 1 : j == m ? -1 : compare_near(x[i], y[j]);
    c < 0 ? pairs.append(x[i], flatmap_values(a)[i]) : pairs.append(y[j], flatmap_values(b)[j]);
    if (c <= 0) ++i;
    if (c >= 0) ++j;
  }
  return pairs.build(h);
}

Term as_trie(Heap& h, Term map) { return is_flatmap(map) ? SortedPairs(map).build_trie(h) : map; }

}  // namespace

Term map_get(Term map, Term key) {
  if (!is_flatmap(map)) return trie::get(map, key);
  size_t i = find_key(map, key);
  return i == kAbsent ? kNone : flatmap_values(map)[i];
}

Term map_put(Heap& h, Term map, Term key, Term value) {
  if (!is_flatmap(map)) return trie::put(h, map, key, value);
  const Term* keys = keys_of(map);
  size_t n = map_size(map);
  const KeyPosition position = position_to_put(keys, n, key);
  if (position.found) {
    bool same = flatmap_values(map)[position.at] == value;
    return same ? map : with_value(h, map, position.at, value);
  }
  if (n < kMaxFlatMap) return with_key(h, map, position.at, key, value);
  SortedPairs pairs(map);
  pairs.put(key, value);
  return pairs.build(h);
}

/// A flat map of just these keys, in their order, with their new values; kNone: it has others.
static WB_INLINE Term with_all_values(Heap& h, Term map, const Term* pairs, size_t n) {
  const Term* keys = keys_of(map);
  for (size_t i = 0; i < n; ++i) {
    if (keys[i] != pairs[2 * i]) return kNone;
  }
  Term* values;
  Term result = new_flatmap(h, flatmap_keys(map), n, &values);
  for (size_t i = 0; i < n; ++i) values[i] = pairs[2 * i + 1];
  return result;
}

Term map_put_pairs(Heap& h, Term map, const Term* pairs, size_t n) {
  if (is_flatmap(map) && map_size(map) == n) {  // as maps begin whose keys are known
    if (Term made = with_all_values(h, map, pairs, n); made != kNone) return made;
  }
  if (n == 1 || n > kMaxFlatMap || !is_flatmap(map)) {
    for (size_t i = 0; i < n; ++i) map = map_put(h, map, pairs[2 * i], pairs[2 * i + 1]);
    return map;
  }
  if (Term updated = with_values(h, map, pairs, n); updated != kNone) return updated;
  SortedPairs all(map);
  for (size_t i = 0; i < n; ++i) all.put(pairs[2 * i], pairs[2 * i + 1]);
  return all.build(h);
}

Term map_update_pairs(Heap& h, Term map, const Term* pairs, size_t n) {
  if (is_flatmap(map) && n <= kMaxFlatMap) {
    if (n != 1) return with_values(h, map, pairs, n);
    size_t at = find_key(map, pairs[0]);
    if (at == kAbsent) return kNone;
    return flatmap_values(map)[at] == pairs[1] ? map : with_value(h, map, at, pairs[1]);
  }
  for (size_t i = 0; i < n; ++i) {
    if (is_fault(map_get(map, pairs[2 * i]))) return kNone;
  }
  return map_put_pairs(h, map, pairs, n);
}

Term map_remove(Heap& h, Term map, Term key) {
  if (!is_flatmap(map)) {
    Term rest = trie::remove(h, map, key);
    return rest == map ? map : normalised(h, rest);
  }
  size_t i = find_key(map, key);
  return i == kAbsent ? map : without_key(h, map, i);
}

Term map_take(Heap& h, Term map, Term key, Term* value) {
  if (!is_flatmap(map)) {
    *value = trie::get(map, key);
    return *value == kNone ? map : map_remove(h, map, key);
  }
  size_t i = find_key(map, key);
  *value = i == kAbsent ? kNone : flatmap_values(map)[i];
  return i == kAbsent ? map : without_key(h, map, i);
}

Term empty_map(Heap& h) { return SortedPairs().build(h); }

Term map_from_pairs(Heap& h, const Term* pairs, size_t n, WorkBudget& budget) {
  static_assert(sizeof(Pair) == 2 * sizeof(Term));
  const Pair* p = reinterpret_cast<const Pair*>(pairs);
  if (n > kMaxFlatMap) return normalised(h, trie::build(h, p, n, budget));
  SortedPairs sorted;
  for (size_t i = 0; i < n; ++i) sorted.put(p[i].key, p[i].value);
  return sorted.build(h);
}

Term map_merge(Heap& h, Term a, Term b, WorkBudget& budget) {
  if (a == b || map_size(a) == 0) return b;
  if (map_size(b) == 0) return a;
  if (is_flatmap(a) && is_flatmap(b)) return merge_flat(h, a, b);
  return trie::merge(h, as_trie(h, a), as_trie(h, b), budget);
}

// --- iteration ----------------------------------------------------------------------------------
void MapIterator::enter(Term node) {
  trie::Node n = trie::node(node);
  at_ = n.children;
  end_ = at_ + n.count;
}

MapIterator::MapIterator(Term map) {
  if (is_flatmap(map)) {
    at_ = keys_of(map);
    end_ = at_ + map_size(map);
    values_ = flatmap_values(map);
  } else {
    enter(map);
  }
}

MapIterator MapIterator::from_hash(Term trie, uint32_t hash) {
  MapIterator i;
  Term child = trie;
  for (int level = 0; level < trie::kLevels; ++level) {
    trie::Node n = trie::node(child);
    unsigned digit = trie::digit(hash, level);
    i.at_ = n.children + n.position(digit);
    i.end_ = n.children + n.count;
    child = n.child(digit);
    if (child == kNone) return i;
    if (is_cons(child)) {
      if (trie_hash(head(child)) < hash) ++i.at_;
      return i;
    }
    i.above_[i.depth_++] = {i.at_ + 1, i.end_};
  }
  i.enter(child);
  return i;
}

bool MapIterator::find_leaf() {
  for (;;) {
    if (at_ == end_) {
      if (depth_ == 0) return false;
      --depth_;
      at_ = above_[depth_].at;
      end_ = above_[depth_].end;
    } else if (is_cons(*at_)) {
      return true;
    } else {
      above_[depth_++] = {at_ + 1, end_};
      enter(*at_);
    }
  }
}

MapLister::MapLister(Term map) {
  if (is_flatmap(map))
    flat_ = MapIterator(map);
  else
    enter(map);
}

void MapLister::enter(Term node) {
  trie::Node n = trie::node(node);
  nodes_[depth_++] = {n.children, n.children + n.count};
}

bool MapLister::next(Term* key, Term* value) {
  if (flat_.values_) return flat_.next(key, value);
  while (depth_ > 0) {
    Children& c = nodes_[depth_ - 1];
    if (c.at == c.begin) {
      --depth_;
    } else if (Term child = *--c.at; is_cons(child)) {
      *key = head(child);
      *value = tail(child);
      return true;
    } else {
      enter(child);
    }
  }
  return false;
}

}  // namespace wb
