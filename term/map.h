// Maps: sorted flat maps up to 32 keys, a 16-way hash trie above (hash_trie.h).
//
// flatmap keys are in compare_keys order (order.h): term order, but integers before floats. Both
// forms are canonical: equal maps have the same shape whatever their history, and a map has more
// than 32 keys exactly if it is a trie. Maps with the same keys share the tuple of keys when one
// was made from the other.
#pragma once

#include "base/work_budget.h"
#include "term/fault.h"
#include "term/heap.h"

namespace wb {

constexpr size_t kMaxFlatMap = 32;

inline size_t map_size(Term map) { return static_cast<size_t>(small_value(boxed_ptr(map)[1])); }
/// The value, or kNone.
Term map_get(Term map, Term key);
/// `map` itself if that changes nothing.
Term map_put(Heap& h, Term map, Term key, Term value);
/// Puts n pairs (k0,v0,k1,v1...) one after the other, as one change.
Term map_put_pairs(Heap& h, Term map, const Term* pairs, size_t n);
/// The same if all keys are there, else kNone.
Term map_update_pairs(Heap& h, Term map, const Term* pairs, size_t n);
/// `map` itself if the key is not there.
Term map_remove(Heap& h, Term map, Term key);
/// The same, and the value that it had, or kNone.
Term map_take(Heap& h, Term map, Term key, Term* value);
Term empty_map(Heap& h);
/// From n key/value pairs (k0,v0,k1,v1...) in any order; a later duplicate wins. Some steps a pair;
/// any map when `budget` stopped it.
Term map_from_pairs(Heap& h, const Term* pairs, size_t n, WorkBudget& budget);
inline Term map_from_pairs(Heap& h, const Term* pairs, size_t n) {
  UnlimitedBudget budget;
  return map_from_pairs(h, pairs, n, budget);
}
/// All pairs of both; where both have a key, b's value. A step a key; any map when `budget` stopped
/// it.
Term map_merge(Heap& h, Term a, Term b, WorkBudget& budget);
inline Term map_merge(Heap& h, Term a, Term b) {
  UnlimitedBudget budget;
  return map_merge(h, a, b, budget);
}

/// Parts of a flatmap.
inline Term flatmap_keys(Term map) { return boxed_ptr(map)[2]; }  // a tuple
inline Term* flatmap_values(Term map) { return boxed_ptr(map) + 3; }

/// Walks pairs in iteration order: flat maps in key order, tries in trie order.
class MapIterator {
 public:
  explicit MapIterator(Term map);
  /// Over a trie, from the first key whose trie_hash is at least `hash`.
  static MapIterator from_hash(Term trie, uint32_t hash);
  WB_INLINE bool next(Term* key, Term* value) {
    if (values_) {
      if (at_ == end_) return false;
      *key = *at_++;
      *value = *values_++;
      return true;
    }
    if ((at_ == end_ || !is_cons(*at_)) && !find_leaf()) return false;
    const Term* leaf = cons_ptr(*at_++);
    *key = leaf[0];
    *value = leaf[1];
    return true;
  }

 private:
  struct Children {
    const Term *at, *end;
  };
  friend class MapLister;
  MapIterator() = default;
  /// Goes down and up until at_ is a leaf. False: that was the last.
  bool find_leaf();
  void enter(Term node);

  const Term *at_ = nullptr, *end_ = nullptr;  ///< keys of a flat map; children of a node
  const Term* values_ = nullptr;               ///< of a flat map
  unsigned depth_ = 0;
  Children above_[8];  ///< what is left of the nodes on the way down
};

/// The order in which BEAM lists keys, values and pairs (maps:keys/1, maps:to_list/1, the external
/// format): large maps from the last pair to the first.
class MapLister {
 public:
  explicit MapLister(Term map);
  bool next(Term* key, Term* value);

 private:
  struct Children {
    const Term *begin, *at;
  };
  void enter(Term node);

  MapIterator flat_;
  Children nodes_[9];  ///< on the way down, with what is left of them
  unsigned depth_ = 0;
};

}  // namespace wb
