#include "vm/otp_suites/node_referrers.h"

#include "gc/fragment.h"
#include "term/copy.h"
#include "vm/ets/match_spec.h"

namespace wb {

namespace {

NodeReferrers::Reference reference(CensusLocation::Kind kind) {
  switch (kind) {
    case CensusLocation::process:
      return NodeReferrers::heap;
    case CensusLocation::table:
      return NodeReferrers::ets;
    case CensusLocation::timer:
      return NodeReferrers::timer;
    case CensusLocation::constants:
      break;
  }
  return NodeReferrers::persistent_term;
}

const Node* node_in(const Term* boxed) {
  const Kind k = header_kind(boxed[0]);
  const bool names_one = k == Kind::ext_pid || k == Kind::ext_port || k == Kind::ext_ref;
  return names_one ? &owned_node(boxed) : nullptr;
}

}  // namespace

void NodeReferrers::note(const Node& node, Referrer referrer) {
  std::lock_guard lock(lock_);
  ++found_[{node.name.name, node.name.creation}][referrer];
}

void NodeReferrers::look_at_owner(const Term* boxed, CensusLocation where) {
  if (const Node* node = node_in(boxed)) return note(*node, {reference(where.kind), where.id});
  auto* object = reinterpret_cast<const OffHeapObject*>(boxed[1]);
  if (const MatchSpec* spec = MatchSpec::from_object(*object)) look_at_spec(*spec, where);
}

void NodeReferrers::look_at_spec(const MatchSpec& spec, CensusLocation where) {
  {
    std::lock_guard lock(lock_);
    if (!specs_.insert(&spec).second) return;
  }
  FragmentHeap h(64);
  for (Term head : spec.heads()) copy_term(h, head);
  for (const Term* p = h.off_heap(); p; p = reinterpret_cast<const Term*>(p[2])) {
    if (const Node* node = node_in(p)) note(*node, {binary, where.id});
  }
}

Term NodeReferrers::ask(Process& p, Answer answer) {
  return Census::ask(p, new NodeReferrers(p, answer));
}

}  // namespace wb
