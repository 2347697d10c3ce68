// Who has pids, ports and references of which other nodes, and how many:
// erts_debug:get_internal_state(node_and_dist_references). How many there are in all the table of
// nodes knows (term/node_table.h); who has them is found in the lists of owners wherever terms are.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "term/node_table.h"
#include "vm/bif/census.h"

namespace wb {

class MatchSpec;

class NodeReferrers final : public Census {
 public:
  /// Compiled match specifications count by themselves.
  enum Reference : uint8_t { heap, ets, timer, persistent_term, binary };
  struct Referrer {
    Reference what;
    Term who;
    auto operator<=>(const Referrer&) const = default;
  };
  using Found = std::map<std::pair<Term, uint32_t>, std::map<Referrer, int64_t>>;

  /// From a BIF: traps until answer(...) is there, which any thread may call.
  using Answer = Term (*)(Heap& h, const Found& found);
  static Term ask(Process& p, Answer answer);

 private:
  NodeReferrers(Process& p, Answer answer) : Census(p), answer_(answer) {}
  void look_at_owner(const Term* boxed, CensusLocation where) override;
  void look_at_spec(const MatchSpec& spec, CensusLocation where);
  void note(const Node& node, Referrer referrer);
  Term answer(Heap& h) override { return answer_(h, found_); }

  const Answer answer_;
  std::mutex lock_;
  Found found_;
  std::set<const MatchSpec*> specs_;
};

}  // namespace wb
