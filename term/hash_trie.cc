#include "term/hash_trie.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/budgeted_sort.h"
#include "base/radix_sort.h"
#include "term/order.h"
#include "term/trie_hash.h"

namespace wb::trie {
namespace {

Term leaf_of(Heap& h, Term key, Term value) { return cons(h, key, value); }

Term make_root(Heap& h, const Node& n, size_t count) {
  Term* p = h.alloc(n.count + 2);
  p[0] = make_header(Kind::hashmap, n.count + 1, static_cast<uint16_t>(n.bitmap));
  p[1] = make_small(static_cast<int64_t>(count));
  std::copy_n(n.children, n.count, p + 2);
  return make_boxed(p);
}

Term make_node(Heap& h, const Node& n) {
  Term* p = h.alloc(n.count + 1);
  p[0] = make_header(Kind::hashnode, n.count, static_cast<uint16_t>(n.bitmap));
  std::copy_n(n.children, n.count, p + 1);
  return make_boxed(p);
}

// A node being put together. At the last level there may be any number of children.
class NodeBuilder {
 public:
  void add(unsigned digit, Term child) {
    bitmap_ |= 1u << digit;
    add_colliding(child);
  }
  void add_colliding(Term child) {
    if (n_ < 16) {
      few_[n_++] = child;
      return;
    }
    if (many_.empty()) many_.assign(few_, few_ + 16);
    many_.push_back(child);
    ++n_;
  }
  Node node() const { return {many_.empty() ? few_ : many_.data(), bitmap_, n_}; }

 private:
  Term few_[16];
  std::vector<Term> many_;
  unsigned bitmap_ = 0, n_ = 0;
};

/// The order of keys whose trie_hash is the same.
int compare_colliding(Term a, Term b) {
  uint32_t x = next_trie_hash(a), y = next_trie_hash(b);
  return x != y ? (x < y ? -1 : 1) : compare_keys(a, b);
}

// --- building from pairs ------------------------------------------------------------------------
struct Hashed {
  uint32_t hash;
  size_t index;  // of the pair
};

class Builder {
 public:
  Builder(Heap& h, const Pair* pairs, size_t n, WorkBudget& budget)
      : heap_(h), pairs_(pairs), budget_(budget) {
    sorted_.reserve(n);
    for (size_t i = 0; i < n && budget.step(); ++i) sorted_.push_back({trie_hash(pairs[i].key), i});
    if (sort_by_hash()) resolve_equal_hashes();
  }

  Term root() {
    NodeBuilder b;
    add_children(b, 0, sorted_.size(), 0);
    return make_root(heap_, b.node(), sorted_.size());
  }

 private:
  Term key(const Hashed& h) const { return pairs_[h.index].key; }

  /// Pairs of one hash stay in the order in which they came.
  bool sort_by_hash() {
    if (sorted_.size() >= kLeastForRadixSort)
      return budgeted_radix_sort(sorted_, [](const Hashed& h) { return h.hash; }, budget_);
    auto before = [](const Hashed& a, const Hashed& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.index < b.index;
    };
    return budgeted_sort(sorted_, before, budget_);
  }

  /// The newest of equal keys stay, different ones of the same hash in their order.
  void resolve_equal_hashes() {
    size_t kept = 0;
    for (size_t from = 0, to; from < sorted_.size() && budget_.step(); from = to) {
      for (to = from + 1; to < sorted_.size() && sorted_[to].hash == sorted_[from].hash;) ++to;
      if (to - from == 1)
        sorted_[kept++] = sorted_[from];
      else
        kept = resolve(from, to, kept);
    }
    sorted_.resize(kept);
  }

  /// Nearly always all keys are equal, or two are not; a sender may have made many that collide.
  size_t resolve(size_t from, size_t to, size_t kept) {
    constexpr size_t kFew = 4;
    Hashed few[kFew];
    size_t n = 0;
    for (size_t i = from; i < to && budget_.step(); ++i) {
      Hashed* same = std::find_if(
          few, few + n, [&](const Hashed& h) { return equal_exact(key(h), key(sorted_[i])); });
      if (same == few + kFew) return resolve_many(from, to, kept);
      *same = sorted_[i];
      n += same == few + n;
    }
    std::sort(few, few + n, [&](const Hashed& a, const Hashed& b) {
      return compare_colliding(key(a), key(b)) < 0;
    });
    std::copy_n(few, n, sorted_.begin() + static_cast<ptrdiff_t>(kept));
    return kept + n;
  }

  size_t resolve_many(size_t from, size_t to, size_t kept) {
    const auto begin = sorted_.begin();
    std::vector<Hashed> all(begin + static_cast<ptrdiff_t>(from),
                            begin + static_cast<ptrdiff_t>(to));
    auto before = [&](const Hashed& a, const Hashed& b) {
      const int c = compare_colliding(key(a), key(b));
      return c != 0 ? c < 0 : a.index < b.index;
    };
    if (!budgeted_sort(all, before, budget_)) return kept;
    for (size_t i = 0; i < all.size() && budget_.step(); ++i) {
      const bool superseded = i + 1 < all.size() && equal_exact(key(all[i]), key(all[i + 1]));
      if (!superseded) sorted_[kept++] = all[i];
    }
    return kept;
  }

  Term subtree(size_t from, size_t to, int level) {
    if (to - from == 1) {
      const Pair& p = pairs_[sorted_[from].index];
      return leaf_of(heap_, p.key, p.value);
    }
    NodeBuilder b;
    add_children(b, from, to, level);
    return make_node(heap_, b.node());
  }

  void add_children(NodeBuilder& b, size_t from, size_t to, int level) {
    while (from < to && budget_.step()) {
      size_t end = from + 1;
      if (level == kLevels) {
        b.add_colliding(subtree(from, end, level));
      } else {
        unsigned d = digit(sorted_[from].hash, level);
        while (end < to && digit(sorted_[end].hash, level) == d) ++end;
        b.add(d, subtree(from, end, level + 1));
      }
      from = end;
    }
  }

  Heap& heap_;
  const Pair* pairs_;
  WorkBudget& budget_;
  std::vector<Hashed> sorted_;
};

// --- changing one node --------------------------------------------------------------------------
// Where `key` is or belongs among the leaves of a node at the last level.
unsigned colliding_position(const Node& n, Term key) {
  const Term* end = n.children + n.count;
  const Term* p = std::lower_bound(
      n.children, end, key, [](Term leaf, Term k) { return compare_colliding(head(leaf), k) < 0; });
  return static_cast<unsigned>(p - n.children);
}

/// A copy of a node (or the root) with another child at `position`.
Term with_child(Heap& h, Term t, const Node& n, unsigned position, Term child) {
  const Term* p = boxed_ptr(t);
  size_t words = header_size(*p) + 1;
  Term* q = h.alloc(words);
  memcpy(q, p, words * sizeof(Term));
  q[static_cast<size_t>(n.children - p) + position] = child;
  return make_boxed(q);
}
/// The same with one more child, for the digit of `bit`.
Term with_another(Heap& h, Term t, const Node& n, unsigned position, unsigned bit, Term child) {
  const Term* p = boxed_ptr(t);
  size_t words = header_size(*p) + 1, at = static_cast<size_t>(n.children - p) + position;
  Term* q = h.alloc(words + 1);
  memcpy(q, p, at * sizeof(Term));
  q[at] = child;
  memcpy(q + at + 1, p + at, (words - at) * sizeof(Term));
  q[0] = make_header(header_kind(*p), words, static_cast<uint16_t>(n.bitmap | bit));
  return make_boxed(q);
}

/// The same with one child less.
Term without_child(Heap& h, Term t, const Node& n, unsigned position, unsigned bit) {
  const Term* p = boxed_ptr(t);
  size_t words = header_size(*p) + 1, at = static_cast<size_t>(n.children - p) + position;
  Term* q = h.alloc(words - 1);
  memcpy(q, p, at * sizeof(Term));
  memcpy(q + at, p + at + 1, (words - at - 1) * sizeof(Term));
  q[0] = make_header(header_kind(*p), words - 2, static_cast<uint16_t>(n.bitmap & ~bit));
  return make_boxed(q);
}

// A subtree of two different keys.
Term join(Heap& h, Term leaf_a, uint32_t hash_a, Term leaf_b, uint32_t hash_b, int level) {
  NodeBuilder b;
  if (level == kLevels) {
    bool ordered = compare_colliding(head(leaf_a), head(leaf_b)) < 0;
    b.add_colliding(ordered ? leaf_a : leaf_b);
    b.add_colliding(ordered ? leaf_b : leaf_a);
    return make_node(h, b.node());
  }
  unsigned x = digit(hash_a, level), y = digit(hash_b, level);
  if (x == y) {
    b.add(x, join(h, leaf_a, hash_a, leaf_b, hash_b, level + 1));
  } else if (x < y) {
    b.add(x, leaf_a);
    b.add(y, leaf_b);
  } else {
    b.add(y, leaf_b);
    b.add(x, leaf_a);
  }
  return make_node(h, b.node());
}

struct Insertion {
  Heap& heap;
  uint32_t hash;
  Term key, value;
  Term leaf = kNone;   // made already, if any
  bool keep = false;   // an existing value stays
  bool added = false;  // out: the key is new

  Term new_leaf() { return leaf != kNone ? leaf : leaf_of(heap, key, value); }

  // The changed subtree, or `t` itself.
  Term into(Term t, int level) {
    if (is_cons(t)) {
      if (equal_exact(head(t), key)) {
        if (keep || (leaf == kNone && tail(t) == value)) return t;
        return new_leaf();  // of 0.0 and -0.0 the later stays
      }
      added = true;
      return join(heap, t, trie_hash(head(t)), new_leaf(), hash, level);
    }
    return into_node(t, level);
  }

  /// Of a node or the root, whose count is the caller's to change.
  Term into_node(Term t, int level) {
    Node n = node(t);
    unsigned position, bit = 0;
    bool present;
    if (level == kLevels) {
      position = colliding_position(n, key);
      present = position < n.count && equal_exact(head(n.children[position]), key);
    } else {
      unsigned d = digit(hash, level);
      position = n.position(d);
      bit = 1u << d;
      present = n.bitmap & bit;
    }
    if (!present) {
      added = true;
      return with_another(heap, t, n, position, bit, new_leaf());
    }
    Term child = into(n.children[position], level + 1);
    if (child == n.children[position]) return t;
    return with_child(heap, t, n, position, child);
  }
};

// --- removing -----------------------------------------------------------------------------------
struct Removal {
  Heap& heap;
  uint32_t hash;
  Term key;

  /// What remains of a node or the root, whose count is the caller's to change; `t` itself if the
  /// key is not there. A node that is left with one leaf becomes that leaf; the root does not.
  Term from(Term t, int level) {
    Node n = node(t);
    unsigned position, bit = 0;
    if (level == kLevels) {
      position = colliding_position(n, key);
      if (position == n.count) return t;
    } else {
      unsigned d = digit(hash, level);
      bit = 1u << d;
      if (!(n.bitmap & bit)) return t;
      position = n.position(d);
    }
    Term child = n.children[position];
    if (is_cons(child)) {
      if (!equal_exact(head(child), key)) return t;
      if (level > 0 && n.count == 2 && is_cons(n.children[1 - position])) {
        return n.children[1 - position];
      }
      return without_child(heap, t, n, position, bit);
    }
    Term rest = from(child, level + 1);
    if (rest == child) return t;
    if (level > 0 && n.count == 1 && is_cons(rest)) return rest;
    return with_child(heap, t, n, position, rest);
  }
};

// --- merging ------------------------------------------------------------------------------------
struct Merge {
  Heap& heap;
  WorkBudget& budget;
  size_t common = 0;  // keys in both

  Term subtrees(Term a, Term b, int level) {
    if (!budget.step()) return a;
    if (a == b) {
      common += subtree_size(a);
      return a;
    }
    if (is_cons(b)) return insert(a, b, level, false);
    if (is_cons(a)) return insert(b, a, level, true);
    NodeBuilder out;
    Node n = nodes(out, node(a), node(b), level);
    return make_node(heap, n);
  }

  Node nodes(NodeBuilder& out, const Node& a, const Node& b, int level) {
    if (level == kLevels) return colliding(out, a, b);
    for (unsigned d = 0; d < 16; ++d) {
      Term x = a.child(d), y = b.child(d);
      if (x == kNone && y == kNone) continue;
      out.add(d, x == kNone ? y : y == kNone ? x : subtrees(x, y, level + 1));
    }
    return out.node();
  }

 private:
  Term insert(Term into, Term leaf, int level, bool keep) {
    Insertion i{heap, trie_hash(head(leaf)), head(leaf), tail(leaf), leaf, keep};
    Term result = i.into(into, level);
    if (!i.added) ++common;
    return result;
  }

  Node colliding(NodeBuilder& out, const Node& a, const Node& b) {
    unsigned i = 0, j = 0;
    while (i < a.count || j < b.count) {
      int c = i == a.count   ? 1
              : j == b.count ? -1
                             : compare_colliding(head(a.children[i]), head(b.children[j]));
      if (c == 0) ++common;
      out.add_colliding(c < 0 ? a.children[i] : b.children[j]);
      if (c <= 0) ++i;
      if (c >= 0) ++j;
    }
    return out.node();
  }

  size_t subtree_size(Term t) {
    if (is_cons(t) || !budget.step()) return 1;
    size_t n = 0;
    Node all = node(t);
    for (unsigned i = 0; i < all.count; ++i) n += subtree_size(all.children[i]);
    return n;
  }
};

}  // namespace

Term build(Heap& h, const Pair* pairs, size_t n, WorkBudget& budget) {
  return Builder(h, pairs, n, budget).root();
}

/// Takes the digits as they come in OTP's hash, from the low end: most of a lookup's time is
/// waiting for the hash, and turning it around would be more of that.
Term get(Term trie, Term key) {
  uint32_t digits = internal_hash(key);
  Node n = node(trie);
  for (int level = 0; level < kLevels; ++level, digits >>= 4) {
    Term child = n.child(digits & 15);
    if (child == kNone) return kNone;
    if (is_cons(child)) return equal_exact(head(child), key) ? tail(child) : kNone;
    n = node(child);
  }
  unsigned i = colliding_position(n, key);
  return i < n.count && equal_exact(head(n.children[i]), key) ? tail(n.children[i]) : kNone;
}

Term put(Heap& h, Term trie, Term key, Term value) {
  Insertion i{h, trie_hash(key), key, value};
  Term changed = i.into_node(trie, 0);
  if (i.added) boxed_ptr(changed)[1] = make_small(static_cast<int64_t>(count(trie)) + 1);
  return changed;
}

Term remove(Heap& h, Term trie, Term key) {
  Removal r{h, trie_hash(key), key};
  Term rest = r.from(trie, 0);
  if (rest != trie) boxed_ptr(rest)[1] = make_small(static_cast<int64_t>(count(trie)) - 1);
  return rest;
}

Term merge(Heap& h, Term a, Term b, WorkBudget& budget) {
  if (a == b) return a;
  Merge m{h, budget};
  NodeBuilder out;
  Node root = m.nodes(out, node(a), node(b), 0);
  return make_root(h, root, count(a) + count(b) - m.common);
}

}  // namespace wb::trie
