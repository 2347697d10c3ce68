// Where the objects of an ordered_set are: a B+ tree of their keys.
//
// A node has up to kFan entries, keys in one array, what they stand for in another: objects in a
// leaf, nodes below in an inner node, each with the least key of what lies in it. A key is a word
// of its object: an immediate key is compared where it stands, four cache lines a node, one node a
// level and about 22 entries a node; only other keys take a look at the object.
//
// Invariants
//  - The key of an inner node's entry is the first key of the node below, always, so that no node
//    holds a key of an object that is gone.
//  - All leaves have the same depth. Only a root that is a leaf may have no entry; an inner root
//  has
//    two at least.
//  - Behind the last key stand kNothing, which is more than any small integer, so that counting the
//    smaller ones needs no look at `count`.
//  - A Place goes on being the way to its leaf until nodes are split, merged or freed (version_);
//    entries may have moved within the leaf.
//
// Whoever changes it is alone; readers may be many. Nodes that get empty are merged with a
// neighbour when both fit into three quarters of one, so that a run of deletions costs no second
// look at a node, and a split follows at the earliest after eight more insertions.
//
// Rejected: a skip list (a cache miss for each comparison, and a second one for its links); AVL
// trees as BEAM's (one miss for each of 17 levels of 100,000 objects); keys copied into the index
// (a tuple's parts would have to be kept twice).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/work_budget.h"
#include "term/order.h"
#include "vm/ets/object.h"

namespace wb {

/// The caller, a loop, keeps its registers.
WB_PRESERVE_MOST int order_of_large_keys(Term a, Term b);
/// Of two keys, as == compares.
WB_INLINE int order_of_keys(Term a, Term b) {
  if (are_small(a, b)) return small_value(a) < small_value(b) ? -1 : a != b;
  return order_of_large_keys(a, b);
}

class OrderIndex {
 public:
  static constexpr unsigned kFan = 32, kMaxDepth = 14;
  struct Node;
  union Entry {
    TableObject* object;
    Node* node;
  };
  struct Node {
    uint16_t count = 0;
    bool is_leaf;
    bool all_small = true;  ///< no key is anything but a small integer
    Term keys[kFan];
    Entry entries[kFan];
  };

  /// The way to an entry, or to where one belongs.
  class Place {
   public:
    /// The object that is there, after locate() has found it.
    TableObject* object() const { return leaf().entries[steps_[0].at].object; }
    /// The object before that place, or nullptr.
    TableObject* object_before() const {
      if (!depth_) return nullptr;
      if (steps_[0].at > 0) return leaf().entries[steps_[0].at - 1].object;
      return leaf().count ? leaf().entries[0].object->prev : nullptr;
    }

   private:
    friend class OrderIndex;
    struct Step {
      Node* node;
      unsigned at;
    };
    Node& leaf() const { return *steps_[0].node; }
    /// Is the last entry of every node above that level on the way?
    bool is_last_above(unsigned level) const;
    uint64_t version_ = 0;
    unsigned depth_ = 0;     ///< 0: no place
    Step steps_[kMaxDepth];  ///< from the leaf to the root
  };

  OrderIndex() = default;
  ~OrderIndex() { free_nodes(root_); }
  OrderIndex(const OrderIndex&) = delete;

  /// The object of `key` (as == compares), or nullptr.
  TableObject* find(Term key) const;
  /// The last object whose key is `before`, or nullptr: before(key) holds up to some object.
  template <class Before>
  TableObject* last(Before before) const;

  // --- alone
  // --------------------------------------------------------------------------------------
  /// Is `key` there? `place` becomes the way to it; as it was is where the search begins.
  bool locate(Term key, Place& place);
  /// Where locate() has not found it.
  void insert(Place& place, Term key, TableObject* o);
  /// In the place of what is there; the keys are equal.
  void replace(Place& place, Term key, TableObject* o);
  void erase(Place& place);
  /// Empties it; the nodes that were there, or nullptr, are the caller's (free_nodes).
  Node* take_nodes();
  /// Frees trees of nodes, a step a node. False: stopped, `roots` are what is left.
  static bool free_nodes(std::vector<Node*>& roots, WorkBudget& budget);

  uint64_t bytes() const { return nodes_.load(std::memory_order_relaxed) * sizeof(Node); }
  /// For tests: do the invariants hold?
  bool is_sound() const;

 private:
  static constexpr Term kNothing = INT64_MAX;
  static void free_nodes(Node* root);
  Node* new_node(bool is_leaf);
  void free_node(Node* n);
  bool locate_near(Term key, Place& p, bool* found) const;
  void search_leaf(Term key, Place& p, bool* found) const;
  void insert_at(Place& p, unsigned level, unsigned at, Term key, Entry e);
  void split(Place& p, unsigned level, unsigned at, Term key, Entry e);
  void grow(Place& p, Node* right);
  void erase_at(Place& p, unsigned level);
  void merge(Place& p, unsigned level);
  static void raise_least(Place& p, unsigned level);

  std::atomic<uint64_t> nodes_{0};
  uint64_t version_ = 1;
  Node* root_ = nullptr;
  unsigned depth_ = 0;
};

template <class Before>
TableObject* OrderIndex::last(Before before) const {
  for (const Node* n = root_; n;) {
    unsigned low = 0, high = n->count;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (before(n->keys[middle]))
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0) return nullptr;
    if (n->is_leaf) return n->entries[low - 1].object;
    n = n->entries[low - 1].node;
  }
  return nullptr;
}

}  // namespace wb
