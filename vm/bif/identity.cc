// self, references, nodes, and sending as a function.
#include "term/identifiers.h"
#include "term/map.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/send.h"

namespace wb {

GUARD(erlang, self, 0)
{
  return p.process().id;
}
BIF(erlang, make_ref, 0)
{
  return p.vm().new_ref(p.heap);
}

// --- nodes ---------------------------------------------------------------------------------------
GUARD(erlang, node, 0)
{
  return local_node().name;
}
GUARD(erlang, node, 1)
{
  if (!is_pid(a[0]) && !is_port(a[0]) && !is_ref(a[0])) return kBadarg;
  return node_of(a[0]).name;
}

/// What a selection (an atom or a list of them) asks for: nodes that are connected are never there.
struct NodeSelection {
  bool right = true, self = false, known = false;

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
    right &= t == am::this_ || t == am::known || t == am::visible || t == am::hidden ||
             t == am::connected;
  }
};
/// Those that identifiers of name, and if wanted this one: item(h, name).
template <class Item>
static Term list_nodes(Process& p, const NodeSelection& s, Item item) {
  if (!s.right) return kBadarg;
  if (!s.known) {
    return s.self ? cons(p.heap, item(p.heap, local_node().name), kNil) : kNil;
  }
  const Term ours = local_node().name;
  ListBuilder list(p.heap);
  list.add(item(p.heap, ours));
  Term last = ours;
  for (const auto& [node, references] : p.vm().instance.nodes.known()) {
    if (node.name != last && node.name != ours) list.add(item(p.heap, node.name));
    last = node.name;
  }
  return list.finish();
}
/// No node but our own can be there to be watched, and it cannot go down before the watcher does.
static Term monitor_node(Process& p, Term node, Term on) {
  if (!is_atom(node)) return kBadarg;
  if (node != local_node().name) return p.error(am::notalive);
  return on == am::true_ || on == am::false_ ? am::true_ : kBadarg;
}
BIF(erlang, monitor_node, 2)
{
  return monitor_node(p, a[0], a[1]);
}
BIF(erlang, monitor_node, 3)
{
  Term options = a[2];
  while (is_cons(options) && head(options) == am::allow_passive_connect) options = tail(options);
  return is_nil(options) ? monitor_node(p, a[0], a[1]) : p.badarg(am::badopt);
}

BIF(erlang, nodes, 0)
{
  return kNil;
}
BIF(erlang, nodes, 1)
{
  return list_nodes(p, NodeSelection(a[0]), [](Heap&, Term name) { return name; });
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
  return list_nodes(p, selection, [type, connection](Heap& h, Term name) {
    Term info[4];
    size_t n = 0;
    if (type) {
      info[n++] = am::node_type;
      info[n++] = name == local_node().name ? am::this_ : am::known;
    }
    if (connection) info[n++] = am::connection_id, info[n++] = am::undefined;
    return tuple(h, name, map_from_pairs(h, info, n / 2));
  });
}

// --- send ----------------------------------------------------------------------------------------
static Term sent(Term result, Term message) { return result == am::ok ? message : result; }
BIF(erlang, bang, 2)
{
  p.charge(2);
  return sent(send_term(p, a[0], a[1]), a[1]);
}
BIF(erlang, send, 2)
{
  p.charge(2);
  return sent(send_term(p, a[0], a[1]), a[1]);
}
BIF(erlang, send, 3)
{
  SendOptions options;
  Term list = a[2];
  for (; is_cons(list); list = tail(list)) {
    if (head(list) == am::noconnect)
      options.noconnect = true;
    else if (head(list) == am::nosuspend)
      options.nosuspend = true;
    else
      return p.badarg(am::badopt);
  }
  if (!is_nil(list)) return p.badarg(am::badopt);
  p.charge(2);
  return send_term(p, a[0], a[1], options);
}

}  // namespace wb
