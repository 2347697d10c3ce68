#include "term/node_table.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "term/instance.h"

namespace wb {

namespace {
constexpr uint64_t key_of(NodeName node) {
  return Word{atom_index(node.name)} | Word{node.creation} << 32;
}
}  // namespace

NodeTable::~NodeTable() {
  for (auto& [key, node] : nodes_) delete node;
}

uint64_t NodeTable::now() const {
  if (clock_) return clock_(clock_context_);
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Under lock_, at least shared.
Node* NodeTable::find_and_hold(uint64_t key) {
  auto at = nodes_.find(key);
  if (at == nodes_.end()) return nullptr;
  Node* node = at->second;
  node->retain();
  if (node->unused_since.load(std::memory_order_relaxed) != Node::kInUse) {
    node->unused_since.store(Node::kInUse, std::memory_order_relaxed);
  }
  return node;
}

Node* NodeTable::hold(NodeName name) {
  const uint64_t key = key_of(name);
  {
    std::shared_lock lock(lock_);
    if (Node* node = find_and_hold(key)) return node;
  }
  std::lock_guard lock(lock_);
  if (Node* node = find_and_hold(key)) return node;
  if (nodes_.size() >= sweep_at_) sweep();
  auto* node = new Node(name);
  node->retain();  // the caller's
  nodes_.emplace(key, node);
  return node;
}

void NodeTable::sweep() {
  const uint64_t time = now(), most = delay();
  std::erase_if(nodes_, [&](auto& entry) {
    Node& node = *entry.second;
    // Acquire: whoever has released it is done with it.
    const bool used = node.refs.load(std::memory_order_acquire) > 1;
    uint64_t since = node.unused_since.load(std::memory_order_relaxed);
    if (used || since == Node::kInUse) {
      since = used ? Node::kInUse : time;
      node.unused_since.store(since, std::memory_order_relaxed);
    }
    if (used || most == kForEver || time - since < most) return false;
    delete &node;
    return true;
  });
  sweep_at_ = std::max(kFirstSweep, 2 * nodes_.size());
}

std::vector<NodeTable::Known> NodeTable::known() {
  std::vector<Known> all;
  {
    std::lock_guard lock(lock_);
    sweep();
    for (auto& [key, node] : nodes_) {
      all.push_back({node->name, node->refs.load(std::memory_order_relaxed) - 1});
    }
  }
  std::sort(all.begin(), all.end(), [](const Known& a, const Known& b) {
    return a.node.name != b.node.name ? a.node.name < b.node.name
                                      : a.node.creation < b.node.creation;
  });
  return all;
}

void own_node(Heap& h, Term* boxed, NodeName node) {
  TermInstance* instance = term_instance();
  WB_CHECK(instance);  // whoever has terms of other nodes works for an instance
  boxed[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(instance->nodes.hold(node)));
  h.link_off_heap(boxed, 0);
}

Term make_external(Heap& h, Kind kind, NodeName node, uint64_t number) {
  Term* p = h.alloc(4);
  p[0] = make_header(kind, 3);
  p[3] = number;
  own_node(h, p, node);
  return make_boxed(p);
}

Term make_external_ref(Heap& h, NodeName node, const uint32_t* numbers, size_t n) {
  const size_t words = 2 + (n + 1) / 2;
  Term* p = h.alloc(1 + words);
  p[0] = make_header(Kind::ext_ref, words, static_cast<uint16_t>(n));
  p[words] = 0;
  for (size_t i = 0; i < n; ++i) {
    p[3 + i / 2] = i & 1 ? p[3 + i / 2] | Word{numbers[i]} << 32 : Word{numbers[i]};
  }
  own_node(h, p, node);
  return make_boxed(p);
}

}  // namespace wb
