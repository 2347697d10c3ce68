// What terms mean in one VM: the name of this node, the nodes it knows, who knows
// code, and its magic references. See
// base/instance.h for how it is reached.
#pragma once

#include "base/instance.h"
#include "term/address.h"
#include "term/magic_registry.h"
#include "term/node_table.h"

namespace wb {

struct FunResolver;

class TermInstance final : public Instance {
 public:
  TermInstance();

  std::atomic<uint64_t> node;  ///< atom index | creation << 32: one word, so readers need no lock
  NodeTable nodes;             ///< others
  RemoteTable remotes{nodes};  ///< whom of theirs somebody here is linked to, watches, traces
  FunResolver* funs = nullptr;
  MagicRegistry magic;
};

/// Of this thread; null: it works for none.
inline TermInstance* term_instance() { return static_cast<TermInstance*>(this_instance); }

}  // namespace wb
