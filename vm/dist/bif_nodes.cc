// What programs ask about nodes: our own name, who is there, who goes.
#include <algorithm>

#include "loader/code_table.h"
#include "term/dist_atoms.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"
#include "vm/process/native.h"

namespace wb {

static Distribution& distribution(Process& p) { return *p.vm().ports->distribution; }

/// Something on either side of the @.
static bool is_node_name(Term name) {
  const std::string_view text = atom_text(name);
  const size_t at = text.find('@');
  return at != text.npos && at > 0 && at + 1 < text.size() && text.find('@', at + 1) == text.npos;
}

BIF(erlang, setnode, 2)
{
  uint64_t creation;
  if (!is_atom(a[0]) || !to_uint64(a[1], &creation) || creation > UINT32_MAX) return kBadarg;
  if (Distribution::is_alive() || !is_node_name(a[0])) return kBadarg;
  const NodeName name{a[0], static_cast<uint32_t>(creation)};
  return distribution(p).set_node(name) ? am::true_ : kBadarg;
}
BIF(erts_internal, get_creation, 0)
{
  return make_small(local_node().creation);
}

/// The function in which BEAM's processes wait that have sent a signal over a busy connection.
BIF(erlang, bif_return_trap, 2)
{
  auto c = is_atom(a[1]) ? distribution(p).find(a[1]) : nullptr;
  return c && c->suspend_if_busy(p) ? kYield : a[0];
}

// --- one that is watched -------------------------------------------------------------------------
static Term monitor_node(Process& p, Term node, Term on) {
  if (!is_atom(node)) return kBadarg;
  const bool ours = node == local_node().name;
  if (!ours && !distribution(p).may_connect()) return p.error(am::notalive);
  if (on != am::true_ && on != am::false_) return kBadarg;
  if (ours) return am::true_;
  Distribution& d = distribution(p);
  p.vm().instance.nodes.note({node, 0});
  if (on == am::false_) {
    if (auto c = d.find(node)) c->unwatch_node(p.id);
    return am::true_;
  }
  d.mark(p.id);
  auto c = d.connect(node);
  if (c) return c->watch_node(p.id), am::true_;
  push_signal(p, new_signal(SignalKind::message, tuple(p.heap, am::nodedown, node)));
  return am::true_;
}
BIF(erlang, monitor_node, 2)
{
  return monitor_node(p, a[0], a[1]);
}
BIF(erlang, monitor_node, 3)
{
  Term options = a[2];
  while (is_cons(options) && head(options) == am::allow_passive_connect) options = tail(options);
  if (!is_nil(options)) return p.badarg(am::badopt);
  // Who does not mind to be connected to waits for that in net_kernel.
  const bool passive = is_cons(a[2]) && is_atom(a[0]) && a[0] != local_node().name &&
                       a[1] == am::true_ && Distribution::is_alive();
  if (passive) {
    auto c = distribution(p).find(a[0]);
    Export* wait = p.vm().code->export_entry(am::erlang, am::dmonitor_node, 3);
    if (!c || !c->is_up()) return p.trap(wait, {a[0], a[1], a[2]});
  }
  return monitor_node(p, a[0], a[1]);
}

// --- who is there --------------------------------------------------------------------------------
namespace {
/// What a selection (an atom or a list of them) asks for.
struct NodeSelection {
  bool right = true, self = false, known = false, visible = false, hidden = false;

  explicit NodeSelection(Term t) {
    if (is_atom(t)) {
      add(t);
      return;
    }
    for (; is_cons(t); t = tail(t)) add(head(t));
    right &= is_nil(t);
  }
  void add(Term t) {
    self |= t == am::this_ || t == am::known;
    known |= t == am::known;
    visible |= t == am::visible || t == am::connected || t == am::known;
    hidden |= t == am::hidden || t == am::connected || t == am::known;
    right &= t == am::this_ || t == am::known || t == am::visible || t == am::hidden ||
             t == am::connected;
  }
};

struct ListedNode {
  Term name, type;
  uint32_t connection;  ///< 0: none
};

/// Those that are only known first, this one last.
std::vector<ListedNode> select_nodes(Process& p, const NodeSelection& s) {
  std::vector<ListedNode> found, connected;
  for (auto& c : distribution(p).all_up()) {
    const bool visible = c->is_visible();
    if (visible ? !s.visible : !s.hidden) continue;
    connected.push_back({c->node, visible ? am::visible : am::hidden, c->id});
  }
  const Term ours = local_node().name;
  Term last = ours;
  const auto known = s.known ? p.vm().instance.nodes.known() : std::vector<NodeTable::Known>();
  for (const auto& [node, references] : known) {
    const bool listed = std::any_of(connected.begin(), connected.end(),
                                    [&](const ListedNode& n) { return n.name == node.name; });
    if (node.name != last && node.name != ours && !listed)
      found.push_back({node.name, am::known, 0});
    last = node.name;
  }
  found.insert(found.end(), connected.begin(), connected.end());
  if (s.self) found.push_back({ours, am::this_, 0});
  return found;
}
}  // namespace

static Term list_nodes(Process& p, Term selection) {
  const NodeSelection s(selection);
  if (!s.right) return kBadarg;
  ListBuilder list(p.heap);
  for (const ListedNode& n : select_nodes(p, s)) list.add(n.name);
  return list.finish();
}
BIF(erlang, nodes, 0)
{
  return list_nodes(p, am::visible);
}
BIF(erlang, nodes, 1)
{
  return list_nodes(p, a[0]);
}
BIF(erlang, nodes, 2)
{
  NodeSelection selection(a[0]);
  if (!selection.right || !is_map(a[1])) return kBadarg;
  bool type = false, connection = false;
  Term key, value;
  for (MapIterator i(a[1]); i.next(&key, &value);) {
    bool known = key == am::node_type || key == am::connection_id;
    if (!known || (value != am::true_ && value != am::false_)) return kBadarg;
    (key == am::node_type ? type : connection) = value == am::true_;
  }
  Heap& h = p.heap;
  ListBuilder list(h);
  for (const ListedNode& n : select_nodes(p, selection)) {
    Term info[4];
    size_t k = 0;
    if (type) info[k++] = am::node_type, info[k++] = n.type;
    if (connection) {
      info[k++] = am::connection_id;
      info[k++] = n.connection ? make_small(n.connection) : am::undefined;
    }
    list.add(tuple(h, n.name, map_from_pairs(h, info, k / 2)));
  }
  return list.finish();
}

}  // namespace wb
