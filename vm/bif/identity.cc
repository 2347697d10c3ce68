// self, references, nodes, and sending as a function.
#include "term/identifiers.h"
#include "term/map.h"
#include "vm/bif/bif.h"
#include "vm/process/send.h"
#include "vm/vm.h"

namespace wb {

BIF(erlang, self, 0)
{
  return p.id;
}
BIF(erlang, make_ref, 0)
{
  return p.vm().new_ref(p.heap);
}

// --- nodes ---------------------------------------------------------------------------------------
BIF(erlang, node, 0)
{
  return local_node().name;
}
BIF(erlang, node, 1)
{
  if (!is_pid(a[0]) && !is_port(a[0]) && !is_ref(a[0])) return kBadarg;
  return node_of(a[0]).name;
}

/// Does a selection (an atom or a list of them) include this node? -1: a wrong one.
static int selects_this_node(Term selection) {
  auto one = [](Term t) {
    if (t == am::this_ || t == am::known) return 1;
    return t == am::visible || t == am::hidden || t == am::connected ? 0 : -1;
  };
  if (is_atom(selection)) return one(selection);
  int found = 0;
  for (; is_cons(selection); selection = tail(selection)) {
    int n = one(head(selection));
    if (n < 0) return -1;
    found |= n;
  }
  return is_nil(selection) ? found : -1;
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
  int self = selects_this_node(a[0]);
  if (self < 0) return kBadarg;
  return self ? cons(p.heap, local_node().name, kNil) : kNil;
}
BIF(erlang, nodes, 2)
{
  int self = selects_this_node(a[0]);
  if (self < 0 || !is_map(a[1])) return kBadarg;
  Term info[4];
  size_t n = 0;
  Term key, value;
  for (MapIterator i(a[1]); i.next(&key, &value);) {
    bool known = key == am::node_type || key == am::connection_id;
    if (!known || (value != am::true_ && value != am::false_)) return kBadarg;
    if (value == am::false_) continue;
    info[n++] = key;
    info[n++] = key == am::node_type ? am::this_ : am::undefined;
  }
  if (!self) return kNil;
  Term entry = tuple(p.heap, local_node().name, map_from_pairs(p.heap, info, n / 2));
  return cons(p.heap, entry, kNil);
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
/// A process or name of another node: there is no connection to any.
static bool is_elsewhere(Term to) {
  if (is_tuple_of(to, 2)) return tuple_elements(to)[1] != local_node().name;
  return is_external(to);
}
BIF(erlang, send, 3)
{
  bool noconnect = false, nosuspend = false;
  Term options = a[2];
  for (; is_cons(options); options = tail(options)) {
    if (head(options) == am::noconnect)
      noconnect = true;
    else if (head(options) == am::nosuspend)
      nosuspend = true;
    else
      return p.badarg(am::badopt);
  }
  if (!is_nil(options)) return p.badarg(am::badopt);
  p.charge(2);
  Term result = send_term(p, a[0], a[1], nosuspend ? SendBy::nosuspend : SendBy::bif);
  return result == am::ok && noconnect && is_elsewhere(a[0]) ? am::noconnect : result;
}

}  // namespace wb
