#include "term/external.h"

#include "term/atom.h"
#include "term/instance.h"

namespace wb {

namespace {
constexpr uint64_t as_word(NodeName node) {
  return atom_index(node.name) | uint64_t{node.creation} << 32;
}
constexpr uint64_t kNobody = as_word({am::nonode_at_nohost, 0});
}  // namespace

TermInstance::TermInstance() : node(kNobody) {}

NodeName local_node() {
  const TermInstance* instance = term_instance();
  uint64_t w = instance ? instance->node.load(std::memory_order_acquire) : kNobody;
  return {make_atom(static_cast<uint32_t>(w)), static_cast<uint32_t>(w >> 32)};
}

void set_local_node(NodeName node) {
  term_instance()->node.store(as_word(node), std::memory_order_release);
}

FunResolver& fun_resolver() {
  TermInstance* instance = term_instance();
  WB_CHECK(instance && instance->funs);  // whoever has funs works for an instance
  return *instance->funs;
}

}  // namespace wb
