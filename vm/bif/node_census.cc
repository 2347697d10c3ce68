#include "vm/bif/node_census.h"

#include "gc/fragment.h"
#include "term/atom.h"
#include "term/copy.h"
#include "term/identifiers.h"
#include "vm/ets/match_spec.h"

namespace wb {

namespace {

/// Is there the beginning of such an identifier? (Any word may be part of a binary.)
bool is_identifier(const Term* t, const Term* end) {
  if (!is_header(*t) || t + 3 >= end) return false;
  Kind k = header_kind(*t);
  if (k != Kind::ext_pid && k != Kind::ext_port && k != Kind::ext_ref) return false;
  if (*t != make_header(k, header_size(*t)) || header_size(*t) < 3 || header_size(*t) > 6)
    return false;
  return is_atom(t[1]) && atom_index(t[1]) < atom_count();
}

NodeCensus::Reference reference(CensusLocation::Kind kind) {
  switch (kind) {
    case CensusLocation::process:
      return NodeCensus::heap;
    case CensusLocation::table:
      return NodeCensus::ets;
    case CensusLocation::timer:
      return NodeCensus::timer;
    case CensusLocation::constants:
      break;
  }
  return NodeCensus::persistent_term;
}

}  // namespace

void NodeCensus::note(const std::vector<Node>& nodes, Referrer referrer) {
  std::lock_guard lock(lock_);
  for (const Node& n : nodes) ++found_[n][referrer];
}

void NodeCensus::look_at(const Term* begin, const Term* end, CensusLocation where) {
  std::vector<Node> nodes;
  for (const Term* t = begin; t < end; ++t) {
    if (is_identifier(t, end)) nodes.push_back({t[1], static_cast<uint32_t>(t[2])});
  }
  if (!nodes.empty()) note(nodes, {reference(where.kind), where.id});
}

void NodeCensus::look_at_owned(const OffHeapObject& object, CensusLocation where) {
  const MatchSpec* spec = MatchSpec::from_object(object);
  if (!spec) return;
  {
    std::lock_guard lock(lock_);
    if (!seen_.emplace(&object, true).second) return;
  }
  FragmentHeap h(64);
  for (Term head : spec->heads()) copy_term(h, head);
  HeapFragment* made = h.take_fragments();
  std::vector<Node> nodes;
  for (const HeapFragment* f = made; f; f = f->next) {
    for (const Term *t = f->data, *end = t + f->used; t < end; ++t) {
      if (is_identifier(t, end)) nodes.push_back({t[1], static_cast<uint32_t>(t[2])});
    }
  }
  free_fragments(made);
  if (!nodes.empty()) note(nodes, {binary, where.id});
}

Term NodeCensus::ask(Process& p, Answer answer) {
  return Census::ask(p, new NodeCensus(p, std::move(answer)));
}

}  // namespace wb
