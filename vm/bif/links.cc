// Links, monitors, aliases, and asking who is there.
#include "loader/code_table.h"
#include "term/identifiers.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"
#include "vm/process/exec.h"
#include "vm/process/options.h"
#include "vm/process/requests.h"
#include "vm/process/route.h"
#include "vm/process/time_watchers.h"
#include "vm/process/trace_flags.h"

namespace wb {

static Term after_signal(Process& p, Address to, Term result) {
  return p.vm().ports->distribution->after_signal(p, to, result);
}

// --- links ---------------------------------------------------------------------------------------
/// There is nobody: as if a link to it had broken.
static void push_priority_noproc(Process& p, Address to) {
  Relations& r = p.relations();
  r.add_link(to);
  r.priority_links[to] = true;
  Signal* s = new_signal(SignalKind::link_exit, am::noproc);
  s->from = to;
  to.retain();
  push_signal(p, s);
}
static Term link_to_term(Process& p, Term to, bool priority) {
  if (!is_pid(to) && !is_port_of_ours(to)) return kBadarg;
  if (is_traced(p, traced::procs)) p.vm().hooks->trace_procs(p, am::link, to);
  if (to == p.id) return am::true_;
  const HeldAddress other = address_of(to);
  if (link_to(*p.exec, other, priority)) return after_signal(p, other, am::true_);
  if (!p.trap_exit) return p.error(am::noproc);
  if (priority) {
    push_priority_noproc(p, other);
  } else {
    push_signal(p, new_signal(SignalKind::message, tuple(p.heap, am::EXIT, to, am::noproc)));
  }
  return am::true_;
}
BIF(erlang, link, 1)
{
  return link_to_term(p, a[0], false);
}
BIF(erlang, link, 2)
{
  bool priority = false;
  if (!to_priority_option(a[1], &priority)) return p.badarg(am::badopt);
  return link_to_term(p, a[0], priority);
}
BIF(erlang, unlink, 1)
{
  if (!is_pid(a[0]) && !is_port_of_ours(a[0])) return kBadarg;
  if (is_traced(p, traced::procs)) p.vm().hooks->trace_procs(p, am::unlink, a[0]);
  const HeldAddress other = address_of(a[0]);
  unlink_from(*p.exec, other);
  return after_signal(p, other, am::true_);
}

// --- monitors ------------------------------------------------------------------------------------
/// Sets `m` on its target; one that is not there answers at once.
static Term start_monitor(Process& p, Monitor m) {
  uint64_t number = p.vm().next_ref_number();
  if (m.target == p.address()) {  // never fires, and is no alias either
    if (m.tag_fragment) free_fragments(m.tag_fragment);
    return monitor_ref(p, p.heap, number, AliasMode::none);
  }
  Term ref = monitor_ref(p, p.heap, number, m.alias);
  p.relations().monitors.try_emplace(number, m);
  p.links->remote |= m.target.is_remote();
  if (m.type == am::time_offset) return p.vm().time_watchers->add(p.vm(), p.address()), ref;
  Signal* s = new_signal(SignalKind::monitor);
  s->from = p.address();
  s->ref = number;
  s->term = m.name;
  if (route(p.vm(), m.target, s)) return after_signal(p, m.target, ref);
  Signal* gone = new_signal(SignalKind::down, am::noproc);
  gone->ref = number;
  push_signal(p, gone);
  return ref;
}
/// The name in `Name` or `{Name, node()}`; kNone: neither.
static Term local_name(Term item) {
  if (is_atom(item)) return item;
  if (!is_tuple_of(item, 2)) return kNone;
  const Term* e = tuple_elements(item);
  return is_atom(e[0]) && e[1] == local_node().name ? e[0] : kNone;
}
/// {Name, Node} of another one, which might be reached.
static bool is_on_other_node(Process& p, Term item) {
  if (!is_tuple_of(item, 2)) return false;
  const Term* e = tuple_elements(item);
  return is_atom(e[0]) && is_atom(e[1]) && e[1] != local_node().name &&
         p.vm().ports->distribution->may_connect();
}
/// On the process or port registered under `name`, or nobody.
static Term monitor_name(Process& p, Term type, Term name, const MonitorOptions& options) {
  if (is_fault(name)) return kBadarg;
  const Term who = p.vm().processes->whereis(name);
  const bool fits = type == am::process ? is_local_pid(who) : is_local_port(who);
  Monitor m = new_monitor(options, fits ? address_of(who) : HeldAddress());
  m.name = name;
  m.type = type;
  return start_monitor(p, m);
}
static Term monitor_item(Process& p, Term type, Term item, const MonitorOptions& options) {
  if (type == am::time_offset) {
    if (item != am::clock_service) return kBadarg;
  } else if (type == am::process && is_on_other_node(p, item)) {
    Monitor m = new_monitor(options, address_of(item));
    return start_monitor(p, m);
  } else if (type == am::process ? !is_pid(item) : !is_port(item)) {
    return monitor_name(p, type, local_name(item), options);
  }
  if (type == am::port && !is_port_of_ours(item)) return kBadarg;
  Monitor m = new_monitor(options, address_of(item));
  m.type = type;
  return start_monitor(p, m);
}
static bool can_be_monitored(Term type) {
  return type == am::process || type == am::port || type == am::time_offset;
}
BIF(erlang, monitor, 2)
{
  if (!can_be_monitored(a[0])) return p.badarg(am::badtype);
  return monitor_item(p, a[0], a[1], {});
}
BIF(erlang, monitor, 3)
{
  MonitorOptions options;
  if (!to_monitor_options(a[2], &options)) return p.badarg(am::badopt);
  if (!can_be_monitored(a[0])) return p.badarg(am::badtype);
  return monitor_item(p, a[0], a[1], options);
}

static HeldAddress target_of(const Process& p, uint64_t number) {
  if (!p.links || !p.links->remote) return HeldAddress();
  auto it = p.links->monitors.find(number);
  return it == p.links->monitors.end() ? HeldAddress() : HeldAddress(it->second.target);
}
/// One of time's offset stays when it has sent a message, and sends more.
static bool sends_many(const Process& p, uint64_t number) {
  if (!p.links) return false;
  auto it = p.links->monitors.find(number);
  return it != p.links->monitors.end() && it->second.type == am::time_offset;
}
BIF(erlang, demonitor, 1)
{
  if (!is_local_ref(a[0])) return kBadarg;
  const uint64_t number = ref_number(a[0]);
  const HeldAddress other = target_of(p, number);
  remove_monitor(*p.exec, number);
  return after_signal(p, other, am::true_);
}
BIF(erlang, demonitor, 2)
{
  bool flush = false, info = false;
  Term options = a[1];
  for (; is_cons(options); options = tail(options)) {
    if (head(options) == am::flush)
      flush = true;
    else if (head(options) == am::info)
      info = true;
    else
      return kBadarg;
  }
  if (!is_nil(options) || !is_local_ref(a[0])) return kBadarg;
  const bool many = sends_many(p, ref_number(a[0]));
  const HeldAddress other = target_of(p, ref_number(a[0]));
  bool active = remove_monitor(*p.exec, ref_number(a[0]));
  Term result = info ? make_bool(active) : am::true_;
  if (!flush || (active && !many)) return after_signal(p, other, result);
  Export* flusher = p.vm().code->export_entry(am::erts_internal, am::flush_monitor_messages, 3);
  return p.trap(flusher, {a[0], make_bool(many), result});
}

// --- aliases -------------------------------------------------------------------------------------
BIF(erlang, alias, 1)
{
  Alias alias{AliasMode::explicit_unalias};
  Term options = a[0];
  for (; is_cons(options); options = tail(options)) {
    if (head(options) == am::reply)
      alias.mode = AliasMode::reply;
    else if (head(options) == am::explicit_unalias)
      alias.mode = AliasMode::explicit_unalias;
    else if (is_priority_option(head(options)))
      alias.priority = true;
    else
      return kBadarg;
  }
  if (!is_nil(options)) return kBadarg;
  uint64_t number = p.vm().next_ref_number();
  p.relations().aliases.try_emplace(number, alias);
  return make_alias_ref(p.heap, number, p.id);
}
BIF(erlang, unalias, 1)
{
  if (!is_ref(a[0])) return kBadarg;
  return make_bool(is_kind(a[0], Kind::pid_ref) && remove_alias(p, ref_number(a[0])));
}

// --- who is there --------------------------------------------------------------------------------
BIF(erlang, is_process_alive, 1)
{
  if (!is_pid(a[0])) return kBadarg;
  if (is_external(a[0])) return is_of_old_incarnation(a[0]) ? am::false_ : kBadarg;
  if (a[0] == p.id) return am::true_;
  // One that waits has handled whatever this process has sent it. Others have to say so.
  Process* other = p.vm().processes->find(a[0]);
  if (!other) return am::false_;
  if (other->inbox.load(std::memory_order_acquire) == parked_inbox()) return am::true_;
  return send_request(p, a[0], Request::is_alive, kNil, am::false_);
}

}  // namespace wb
