// The nodes that this machine knows: those of which it has a pid, a port or a reference.
//
// A node is its name and its creation: one that was started again is another node. Each has one
// entry (Node), and a term that names the node owns a counted reference to it, as a binary's owns
// its bytes: the term is in its heap's list of owners (heap.h), copying it retains, the collection
// that finds it dead releases. So it is known at any time which nodes are referred to, and by how
// many terms: nodes(known) asks this table and looks at no heap. Two entries are never the same
// node, so terms compare their nodes by address.
//
// Our own node has no entry: pids, ports and references of ours do not name it, and are ours
// whatever its name becomes (set_local_node).
//
// The table holds a reference of its own to each entry. Releasing is therefore never more than a
// subtraction, on any thread, and only sweep() deletes: an entry of which nobody but the table has
// had a reference for the *delay* (60 s, as BEAM's delayed_node_table_gc). That one reference
// cannot become two meanwhile, since who has none gets one from hold(), under the lock that sweep()
// holds alone. The sweep is made when somebody asks what is known and when the table has doubled;
// the delay runs from the first sweep that finds the entry unused.
//
// One table a machine: what one knows another does not. Which machine is what the thread says
// (base/instance.h).
//
// Rejected: a table that grows as atoms' does (a node that is started anew gets a creation each
// time); marking entries during collections (what is in tables, timers and literals is not
// collected, and would have to be walked); the last release deletes (it would race with a hold()
// that has just found the entry, or take the lock).
#pragma once

#include <atomic>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "term/heap.h"

namespace wb {

struct NodeName {
  Term name;          ///< an atom
  uint32_t creation;  ///< 0 while not alive
  bool operator==(const NodeName&) const = default;
};
/// This thread's node, as pids, ports and references of ours are written (term/instance.h).
NodeName local_node();
void set_local_node(NodeName node);

/// Another node, while anybody refers to it.
class Node final : public OffHeapObject {
 public:
  explicit Node(NodeName n) : name(n) {}
  const NodeName name;

 private:
  friend class NodeTable;
  static constexpr uint64_t kInUse = UINT64_MAX;
  std::atomic<uint64_t> unused_since{kInUse};  ///< as the last sweep has found
};

class NodeTable {
 public:
  static constexpr uint64_t kDelay = 60'000'000'000, kForEver = UINT64_MAX;  ///< nanoseconds

  NodeTable() = default;
  ~NodeTable();
  NodeTable(const NodeTable&) = delete;

  /// The entry of `node`, made if there is none, and a reference to it for the caller.
  Node* hold(NodeName node);

  /// `node` has been named, and counts as known for the delay.
  void note(NodeName node) { hold(node)->release(); }

  struct Known {
    NodeName node;
    int64_t references;  ///< 0: nobody refers to it any more, for less than the delay
  };
  /// In the order of the names' atoms, then of creations.
  std::vector<Known> known();

  /// How long an entry stays that nobody refers to.
  uint64_t delay() const { return delay_.load(std::memory_order_relaxed); }
  void set_delay(uint64_t ns) { delay_.store(ns, std::memory_order_relaxed); }
  /// What the delay is measured by; else the system's steady clock.
  using Clock = uint64_t (*)(void* context);
  void use_clock(Clock clock, void* context) { clock_ = clock, clock_context_ = context; }

 private:
  static constexpr size_t kFirstSweep = 64;

  Node* find_and_hold(uint64_t key);
  void sweep();  ///< under lock_
  uint64_t now() const;

  RankedLock<LockRank::nodes, std::shared_mutex> lock_;
  std::unordered_map<uint64_t, Node*> nodes_;
  size_t sweep_at_ = kFirstSweep;  ///< entries
  std::atomic<uint64_t> delay_{kDelay};
  Clock clock_ = nullptr;
  void* clock_context_ = nullptr;
};

/// Makes `boxed` (an ext_* kind, whose words are in `h`) a term of this node, of this thread's
/// machine.
void own_node(Heap& h, Term* boxed, NodeName node);
/// A pid or port of another node: `kind` is ext_pid or ext_port.
Term make_external(Heap& h, Kind kind, NodeName node, uint64_t number);
/// A reference of another node, its `n` numbers the least significant first.
Term make_external_ref(Heap& h, NodeName node, const uint32_t* numbers, size_t n);
inline const Node& owned_node(const Term* boxed) {
  return *reinterpret_cast<const Node*>(boxed[1]);
}

}  // namespace wb
