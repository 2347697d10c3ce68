// What terms mean outside of this operating system process: the name of this node, and who knows
// code.
//
// Both are pointers for the whole process, as the table of atoms, the area of literals and the
// registry of magic references are: against the rule that everything hangs off Vm, and on purpose.
// Equality, order, hash, print and the external format are functions of terms alone. They are
// called from tests, tools and the loader, which have no machine, and from within a sort or a table
// of keys, where a parameter for it would have to pass through every comparison. A term means the
// same everywhere in a process, so nothing of a machine is in them that a second one would not
// share. Whoever makes a Vm sets them before a term can need them.
#include "term/external.h"

#include "term/atom.h"

namespace wb {

namespace {
// atom index | creation << 32
std::atomic<uint64_t>& node_word() {
  static std::atomic<uint64_t> word{am_index::nonode_at_nohost};
  return word;
}
std::atomic<FunResolver*>& resolver() {
  static std::atomic<FunResolver*> r{nullptr};
  return r;
}
}  // namespace

NodeName local_node() {
  uint64_t w = node_word().load(std::memory_order_acquire);
  return {make_atom(static_cast<uint32_t>(w)), static_cast<uint32_t>(w >> 32)};
}

void set_local_node(NodeName node) {
  uint64_t w = atom_index(node.name) | uint64_t{node.creation} << 32;
  node_word().store(w, std::memory_order_release);
}

FunResolver& fun_resolver() {
  FunResolver* r = resolver().load(std::memory_order_acquire);
  WB_CHECK(r);  // whoever makes funs has set one before
  return *r;
}

void set_fun_resolver(FunResolver* r) { resolver().store(r, std::memory_order_release); }

}  // namespace wb
