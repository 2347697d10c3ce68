#include "vm/ets/order_index.h"

#include <algorithm>

#include "base/out_of_memory.h"

namespace wb {

WB_PRESERVE_MOST WB_NOINLINE int order_of_large_keys(Term a, Term b) {
  return a == b ? 0 : compare(a, b);
}

namespace {
/// How many keys of a node are before `key`; is the next one equal?
unsigned count_before(const OrderIndex::Node& n, Term key, bool* equal) {
  if (WB_LIKELY(n.all_small && is_small(key))) {  // without a branch that nobody can foresee
    unsigned before = 0;
    for (Term k : n.keys) before += static_cast<int64_t>(k) < static_cast<int64_t>(key);
    *equal = before < n.count && n.keys[before] == key;
    return before;
  }
  unsigned low = 0, high = n.count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const int c = order_of_keys(n.keys[middle], key);
    if (c == 0) return *equal = true, middle;
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return *equal = false, low;
}

template <class T>
void move_up(T* array, unsigned at, unsigned count) {
  std::copy_backward(array + at, array + count, array + count + 1);
}
template <class T>
void move_down(T* array, unsigned at, unsigned count) {
  std::copy(array + at + 1, array + count, array + at);
}

void put(OrderIndex::Node& n, unsigned at, Term key, OrderIndex::Entry e) {
  move_up(n.keys, at, n.count);
  move_up(n.entries, at, n.count);
  n.keys[at] = key;
  n.entries[at] = e;
  n.all_small &= is_small(key);
  ++n.count;
}
}  // namespace

// --- nodes --------------------------------------------------------------------------------------
OrderIndex::Node* OrderIndex::new_node(bool is_leaf) {
  auto* n = static_cast<Node*>(must_malloc(sizeof(Node), "ets_index"));
  n->count = 0;
  n->is_leaf = is_leaf;
  n->all_small = true;
  std::fill(n->keys, n->keys + kFan, kNothing);
  nodes_.store(nodes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return n;
}

void OrderIndex::free_node(Node* n) {
  free(n);
  nodes_.store(nodes_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  ++version_;
}

bool OrderIndex::free_nodes(std::vector<Node*>& roots, WorkBudget& budget) {
  while (!roots.empty()) {
    Node* n = roots.back();
    roots.pop_back();
    if (!n->is_leaf)
      for (unsigned i = 0; i < n->count; ++i) roots.push_back(n->entries[i].node);
    free(n);
    if (!budget.step()) return false;
  }
  return true;
}
void OrderIndex::free_nodes(Node* root) {
  if (!root) return;
  UnlimitedBudget budget;
  std::vector<Node*> roots{root};
  free_nodes(roots, budget);
}

OrderIndex::Node* OrderIndex::take_nodes() {
  Node* taken = root_;
  nodes_.store(0, std::memory_order_relaxed);
  root_ = nullptr;
  depth_ = 0;
  ++version_;
  return taken;
}

// --- finding ------------------------------------------------------------------------------------
TableObject* OrderIndex::find(Term key) const {
  bool equal = false;
  for (const Node* n = root_; n;) {
    unsigned at = equal ? 0 : count_before(*n, key, &equal);
    if (n->is_leaf) return equal ? n->entries[at].object : nullptr;
    if (!equal && at-- == 0) return nullptr;
    n = n->entries[at].node;
  }
  return nullptr;
}

bool OrderIndex::Place::is_last_above(unsigned level) const {
  for (unsigned l = level + 1; l < depth_; ++l)
    if (steps_[l].at + 1 != steps_[l].node->count) return false;
  return true;
}

void OrderIndex::search_leaf(Term key, Place& p, bool* found) const {
  p.steps_[0].at = count_before(p.leaf(), key, found);
}

/// Most often a key is the one of before, or a neighbour. False: it is not in that leaf.
bool OrderIndex::locate_near(Term key, Place& p, bool* found) const {
  if (p.version_ != version_ || !p.depth_) return false;
  const Node& leaf = p.leaf();
  unsigned& at = p.steps_[0].at;
  if (at >= leaf.count) return false;
  int c = order_of_keys(leaf.keys[at], key);
  if (c < 0 && at + 1 < leaf.count) c = order_of_keys(leaf.keys[++at], key);
  if (c == 0) return *found = true;
  if (c < 0) {
    const unsigned last = leaf.count - 1u;
    if (at == last || order_of_keys(leaf.keys[last], key) < 0) {
      at = leaf.count;
      *found = false;
      return p.is_last_above(0);
    }
  } else if (order_of_keys(leaf.keys[0], key) > 0) {
    return false;
  }
  search_leaf(key, p, found);
  return true;
}

bool OrderIndex::locate(Term key, Place& p) {
  bool found = false;
  if (locate_near(key, p, &found)) return found;
  p.version_ = version_;
  p.depth_ = depth_;
  Node* n = root_;
  bool equal = false;
  for (unsigned level = depth_; level-- > 0;) {
    unsigned at = equal ? 0 : count_before(*n, key, &equal);
    if (level > 0 && !equal && at > 0) --at;
    p.steps_[level] = {n, at};
    if (level > 0) n = n->entries[at].node;
  }
  return equal;
}

// --- changing -----------------------------------------------------------------------------------
/// The first key of the node at that level has changed.
void OrderIndex::raise_least(Place& p, unsigned level) {
  const Term key = p.steps_[level].node->keys[0];
  for (unsigned l = level + 1; l < p.depth_; ++l) {
    auto [node, at] = p.steps_[l];
    node->keys[at] = key;
    node->all_small &= is_small(key);
    if (at != 0) return;
  }
}

void OrderIndex::insert(Place& p, Term key, TableObject* o) {
  if (WB_UNLIKELY(!root_)) {
    p.steps_[0] = {root_ = new_node(true), 0};
    p.depth_ = depth_ = 1;
  }
  insert_at(p, 0, p.steps_[0].at, key, {.object = o});
}

void OrderIndex::insert_at(Place& p, unsigned level, unsigned at, Term key, Entry e) {
  Node& n = *p.steps_[level].node;
  if (WB_UNLIKELY(n.count == kFan)) return split(p, level, at, key, e);
  put(n, at, key, e);
  if (at == 0) raise_least(p, level);
}

/// A full node goes on as two. Keys that come in their order leave full nodes behind.
void OrderIndex::split(Place& p, unsigned level, unsigned at, Term key, Entry e) {
  Node& left = *p.steps_[level].node;
  Node* right = new_node(left.is_leaf);
  const unsigned keep = at == kFan && p.is_last_above(level) ? kFan : kFan / 2;
  for (unsigned i = keep; i < kFan; ++i) put(*right, i - keep, left.keys[i], left.entries[i]);
  left.count = static_cast<uint16_t>(keep);
  std::fill(left.keys + keep, left.keys + kFan, kNothing);
  if (at > keep || keep == kFan) {
    put(*right, at - keep, key, e);
  } else {
    put(left, at, key, e);
    if (at == 0) raise_least(p, level);
  }
  ++version_;
  if (level + 1 == p.depth_) return grow(p, right);
  insert_at(p, level + 1, p.steps_[level + 1].at + 1, right->keys[0], {.node = right});
}

void OrderIndex::grow(Place& p, Node* right) {
  WB_CHECK(depth_ < kMaxDepth);
  Node* left = p.steps_[p.depth_ - 1].node;
  root_ = new_node(false);
  put(*root_, 0, left->keys[0], {.node = left});
  put(*root_, 1, right->keys[0], {.node = right});
  ++depth_;
}

void OrderIndex::replace(Place& p, Term key, TableObject* o) {
  auto [leaf, at] = p.steps_[0];
  leaf->keys[at] = key;
  leaf->entries[at].object = o;
  leaf->all_small &= is_small(key);
  if (at == 0) raise_least(p, 0);
}

void OrderIndex::erase(Place& p) {
  erase_at(p, 0);
  while (!root_->is_leaf && root_->count == 1) {
    Node* below = root_->entries[0].node;
    free_node(root_);
    root_ = below;
    --depth_;
  }
}

void OrderIndex::erase_at(Place& p, unsigned level) {
  auto [n, at] = p.steps_[level];
  move_down(n->keys, at, n->count);
  move_down(n->entries, at, n->count);
  n->keys[--n->count] = kNothing;
  const bool has_parent = level + 1 < p.depth_;
  if (n->count == 0) {
    n->all_small = true;
    if (!has_parent) return;
    free_node(n);
    return erase_at(p, level + 1);
  }
  if (at == 0) raise_least(p, level);
  if (has_parent && n->count <= kFan / 4) merge(p, level);
}

/// With a neighbour, if both fit.
void OrderIndex::merge(Place& p, unsigned level) {
  auto& [parent, at] = p.steps_[level + 1];
  auto fits = [&, parent = parent](unsigned first) {
    const Entry* e = parent->entries + first;
    return e[0].node->count + e[1].node->count <= int{kFan} * 3 / 4;
  };
  unsigned first;
  if (at > 0 && fits(at - 1))
    first = at - 1;
  else if (at + 1 < parent->count && fits(at))
    first = at;
  else
    return;
  Node *left = parent->entries[first].node, *right = parent->entries[first + 1].node;
  for (unsigned i = 0; i < right->count; ++i)
    put(*left, left->count, right->keys[i], right->entries[i]);
  free_node(right);
  at = first + 1;  // its entry goes, which is not the first one
  erase_at(p, level + 1);
}

// --- soundness ----------------------------------------------------------------------------------
namespace {
bool is_node_sound(const OrderIndex::Node& n, unsigned height, bool is_root) {
  if (n.is_leaf != (height == 0) || (n.count == 0 && !is_root)) return false;
  if (is_root && !n.is_leaf && n.count < 2) return false;
  for (unsigned i = 0; i < OrderIndex::kFan; ++i) {
    if (i >= n.count) {
      if (n.keys[i] != Term{INT64_MAX}) return false;
      continue;
    }
    if (n.all_small && !is_small(n.keys[i])) return false;
    if (i > 0 && order_of_keys(n.keys[i - 1], n.keys[i]) >= 0) return false;
    if (n.is_leaf) continue;
    const OrderIndex::Node& below = *n.entries[i].node;
    if (below.keys[0] != n.keys[i] || !is_node_sound(below, height - 1, false)) return false;
  }
  return true;
}
}  // namespace

bool OrderIndex::is_sound() const { return !root_ || is_node_sound(*root_, depth_ - 1, true); }

}  // namespace wb
