#include "vm/dist/node_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/identifiers.h"
#include "term/node_table.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"

namespace wb {
namespace {

/// As nodes are numbered in the pids of a node: by the atom of the name.
uint64_t channel(Term name) { return atom_index(name); }

std::string connected(Connection& c) {
  return fmt::format("={}_node:{}\nName: {}\nController: {}\nCreation: {}\n",
                     c.is_visible() ? "visible" : "hidden", channel(c.node), atom_source(c.node),
                     to_text(c.controller()), c.creation());
}

}  // namespace

std::string node_report(Vm& vm) {
  const NodeName own = local_node();
  std::string report = fmt::format("=node:{}\n", atom_source(own.name));
  if (!Distribution::is_alive()) return report + "=no_distribution\n";
  std::vector<std::shared_ptr<Connection>> all = vm.ports->distribution->all();
  std::ranges::sort(all, {}, [](const auto& c) { return channel(c->node); });
  std::vector<Term> shown = {own.name};
  for (bool visible : {true, false}) {
    for (const auto& c : all) {
      if (!c->is_up() || c->is_visible() != visible) continue;
      report += connected(*c);
      shown.push_back(c->node);
    }
  }
  for (const NodeTable::Known& known : vm.instance.nodes.known()) {
    const Term name = known.node.name;
    if (std::ranges::find(shown, name) != shown.end()) continue;
    report += fmt::format("=not_connected:{}\nName: {}\n", channel(name), atom_source(name));
    shown.push_back(name);
  }
  return report;
}

}  // namespace wb
