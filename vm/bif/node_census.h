// Which other nodes there are identifiers of (pids, ports, references), where and how many:
// nodes(known), and what erts_debug tells of the table of nodes that BEAM has. Here an identifier
// of another node names it itself, and there is no such table.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "vm/bif/census.h"

namespace wb {

class NodeCensus final : public Census {
 public:
  struct Node {
    Term name;
    uint32_t creation;
    auto operator<=>(const Node&) const = default;
  };
  /// Who has identifiers of a node. Compiled match specifications count by themselves.
  enum Reference : uint8_t { heap, ets, timer, persistent_term, binary };
  struct Referrer {
    Reference what;
    Term who;
    auto operator<=>(const Referrer&) const = default;
  };
  using Found = std::map<Node, std::map<Referrer, int64_t>>;
  using Answer = std::function<Term(Heap& h, const Found& found)>;

  /// From a BIF: traps until answer(...) is there, which any thread may call.
  static Term ask(Process& p, Answer answer);

 private:
  NodeCensus(Process& p, Answer answer) : Census(p), answer_(std::move(answer)) {}
  void look_at(const Term* begin, const Term* end, CensusLocation where) override;
  void look_at_owned(const OffHeapObject& object, CensusLocation where) override;
  void note(const std::vector<Node>& nodes, Referrer referrer);
  Term answer(Heap& h) override { return answer_(h, found_); }

  const Answer answer_;
  std::mutex lock_;
  Found found_;
  std::map<const OffHeapObject*, bool> seen_;
};

}  // namespace wb
