// What lies inside the trie of a map of more than 32 keys, for erts_debug.
#include <array>

#include "term/hash_trie.h"
#include "vm/bif/bif.h"

namespace wb {
namespace {

constexpr size_t kSlots = 16;

/// How many nodes have 1, 2 .. 16 children, and how many leaves lie 0, 1 .. 15 levels deep (what is
/// deeper counts as 15).
struct Shape {
  int64_t depth = 0, nodes = 0, leaves = 0;
  std::array<int64_t, kSlots> nodes_of{}, leaves_at{};
};

void measure(Term at, size_t level, Shape* s) {  // by level: at most 9 deep
  trie::Node node = trie::node(at);
  ++s->nodes;
  ++s->nodes_of[std::min<size_t>(std::max(node.count, 1u) - 1, kSlots - 1)];
  for (unsigned i = 0; i < node.count; ++i) {
    if (!is_cons(node.children[i])) {
      measure(node.children[i], level + 1, s);
      continue;
    }
    ++s->leaves;
    ++s->leaves_at[std::min(level + 1, kSlots - 1)];
    s->depth = std::max(s->depth, static_cast<int64_t>(level + 1));
  }
}

Term counts(Heap& h, const std::array<int64_t, kSlots>& values) {
  Term* elements;
  Term t = new_tuple(h, kSlots, &elements);
  for (size_t i = 0; i < kSlots; ++i) elements[i] = make_small(values[i]);
  return t;
}

void add_leaves(Term at, ListBuilder* list) {
  trie::Node node = trie::node(at);
  for (unsigned i = 0; i < node.count; ++i) {
    if (is_cons(node.children[i]))
      list->add(node.children[i]);
    else
      add_leaves(node.children[i], list);
  }
}

Term no_trie(Process& p, Term t) {
  return is_map(t) ? kBadarg : p.error(tuple(p.heap, am::badmap, t));
}
}  // namespace

BIF(erts_debug, map_info, 1)
{
  if (!is_hashmap(a[0])) return no_trie(p, a[0]);
  Shape s;
  measure(a[0], 0, &s);
  p.charge((s.nodes + s.leaves) / 10);
  Heap& h = p.heap;
  Term leaves = tuple(h, am::leafs, make_small(s.leaves), counts(h, s.leaves_at));
  Term nodes = tuple(h, am::bitmaps, make_small(s.nodes), counts(h, s.nodes_of));
  Term list = cons(h, nodes, cons(h, leaves, kNil));
  list = cons(h, tuple(h, am::arrays, make_small(0), kNil), list);  // BEAM's nodes of 16
  return cons(h, tuple(h, am::depth, make_small(s.depth)), list);
}

/// What erts_debug:size/1 adds up: the pairs. The nodes between are no terms here, and so cannot
/// leak.
BIF(erts_internal, map_hashmap_children, 1)
{
  if (!is_hashmap(a[0])) return no_trie(p, a[0]);
  ListBuilder list(p.heap);
  add_leaves(a[0], &list);
  p.charge(static_cast<int64_t>(trie::count(a[0]) / 10));
  return list.finish();
}

}  // namespace wb
