// Maps: sorted flat maps up to 32 keys, a 16-way hash trie above.
//
// flatmap keys are in term order with numbers before atoms and integers before floats of equal
// value (compare_keys in order.h). The trie branches on 4 bits at a time of map_hash(key) (re-salted
// every 8 levels); a node's header holds a bitmap of the children present.
#pragma once

#include "term/fault.h"
#include "term/heap.h"

namespace wb {

constexpr size_t kMaxFlatMap = 32;

size_t map_size(Term map);
/// The value, or kNone.
Term map_get(Term map, Term key);
Term map_put(Heap& h, Term map, Term key, Term value);
/// `map` itself if the key is not there.
Term map_remove(Heap& h, Term map, Term key);
Term empty_map(Heap& h);
/// From n key/value pairs (k0,v0,k1,v1...) in any order; a later duplicate wins.
Term map_from_pairs(Heap& h, const Term* pairs, size_t n);

/// Walks pairs in iteration order: flat maps in key order, tries in trie order.
class MapIterator {
 public:
  explicit MapIterator(Term map);
  bool next(Term* key, Term* value);

 private:
  Term map_;
  size_t index_ = 0;
  int depth_ = 0;
  struct { Term node; unsigned index; } stack_[20];
};

}  // namespace wb
