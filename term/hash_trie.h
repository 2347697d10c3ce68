// Hash tries: maps of more than 32 keys (the trie itself takes any number, at least one).
//
// Level d (0..7) branches on the d-th 4-bit digit of trie_hash(key), most significant first, so
// walking a trie is walking its keys in the order of their hashes, which is BEAM's. A subtree of
// one key is its leaf [Key|Value]; a subtree of several is a node holding the children present.
// Keys whose hashes are equal meet in a node at level 8, whose bitmap is 0 and whose leaves are in
// the order of next_trie_hash(key), and then of the keys.
//
// So the shape depends on the set of keys only, never on the history: equal maps are equal word by
// word (equal.cc), and structural sharing survives put and remove. Depth is at most 9: functions
// here may recurse by level.
//
// Rejected: path compression (smaller for few keys with a long common prefix, which good hashes do
// not give), and collision lists at any level (the shape would depend on the history).
#pragma once

#include "base/work_budget.h"
#include "term/fault.h"
#include "term/heap.h"

namespace wb::trie {

constexpr int kLevels = 8;

struct Pair {
  Term key, value;
};

/// Children of the root (a hashmap) or of a hashnode.
struct Node {
  const Term* children;
  unsigned bitmap;
  unsigned count;

  /// The child for `digit`, or kNone.
  Term child(unsigned digit) const {
    if (!(bitmap >> digit & 1)) return kNone;
    return children[position(digit)];
  }
  /// Where the child for `digit` is or would be.
  unsigned position(unsigned digit) const {
    return static_cast<unsigned>(__builtin_popcount(bitmap & ((1u << digit) - 1)));
  }
};

inline Node node(Term t) {
  const Term* p = boxed_ptr(t);
  unsigned size = static_cast<unsigned>(header_size(*p));
  if (header_kind(*p) == Kind::hashmap) return {p + 2, header_extra(*p), size - 1};
  return {p + 1, header_extra(*p), size};
}

constexpr unsigned digit(uint32_t hash, int level) { return hash >> (28 - 4 * level) & 15; }

inline size_t count(Term trie) { return static_cast<size_t>(small_value(boxed_ptr(trie)[1])); }

/// From n > 0 pairs in any order; of equal keys the later wins. Anything when `budget` stopped it.
Term build(Heap& h, const Pair* pairs, size_t n, WorkBudget& budget);
Term get(Term trie, Term key);
/// `trie` itself if that changes nothing.
Term put(Heap& h, Term trie, Term key, Term value);
/// `trie` itself if the key is not there. The trie must have at least two keys.
Term remove(Heap& h, Term trie, Term key);
/// All of both; where both have a key, b's value. Anything when `budget` stopped it.
Term merge(Heap& h, Term a, Term b, WorkBudget& budget);

}  // namespace wb::trie
