// Ports: the natives below erlang:open_port/2, port_command/2,3, port_info/1,2 and the rest, which
// are Erlang functions of OTP. A result that is an atom such as badarg becomes an error there.
#include "vm/port/ports.h"

#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/profiled.h"
#include "vm/process/route.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// What a seeded run may open: sockets of its own network, programs that run by turns with the
/// machine, files; what comes by descriptors is the user's own affair.
static bool repeats_itself(const PortOptions& o) {
  using Kind = PortOptions::Kind;
  return o.kind != Kind::trace_file && o.kind != Kind::terminal && o.kind != Kind::linked;
}

BIF(erts_internal, open_port, 2)
{
  PortOptions options;
  Term parsed = parse_port_options(a[0], a[1], &options);
  if (parsed != am::ok) return parsed;
  if (p.vm().oracle->simulates() && !repeats_itself(options)) return am::badarg;
  p.charge(1000);
  return p.vm().ports->open(p, options);
}

// --- commands ------------------------------------------------------------------------------------
/// False: not a list of `force` and `nosuspend`.
static bool read_flags(Term list, Port::CommandFlags* flags, bool* force) {
  for (; is_cons(list); list = tail(list)) {
    if (head(list) == am::force)
      *force = true;
    else if (head(list) == am::nosuspend)
      flags->nosuspend = true;
    else
      return false;
  }
  return is_nil(list);
}
BIF(erts_internal, port_command, 3)
{
  Port::CommandFlags flags;
  bool force = false;
  if (!read_flags(a[2], &flags, &force)) return am::badopt;
  auto port = p.vm().ports->find_named(a[0]);
  if (!port || !port->is_open()) return am::badarg;
  flags.force = force;
  if (force && !port->takes_force()) return am::notsup;
  PortCall call(p);
  return port->command(p, a[1], flags);
}
BIF(erts_internal, port_connect, 2)
{
  auto port = p.vm().ports->find_named(a[0]);
  if (port && port->suspend_behind_own(p)) return kYield;
  PortCall call(p);
  return port && is_local_pid(a[1]) && port->connect(p.id, a[1]) ? am::true_ : am::badarg;
}
BIF(erts_internal, port_close, 1)
{
  auto port = p.vm().ports->find_named(a[0]);
  if (port && port->suspend_behind_own(p)) return kYield;
  PortCall call(p);
  return port && port->close(p.id) ? am::true_ : am::badarg;
}
/// What only drivers answer.
BIF(erts_internal, port_control, 3)
{
  auto port = p.vm().ports->find_named(a[0]);
  uint64_t operation;
  if (port && port->suspend_behind_own(p)) return kYield;
  PortCall call(p);
  return port && to_uint64(a[1], &operation) ? port->control(p, operation, a[2]) : am::badarg;
}
BIF(erts_internal, port_call, 3)
{
  auto port = p.vm().ports->find_named(a[0]);
  uint64_t operation;
  if (port && port->suspend_behind_own(p)) return kYield;
  PortCall call(p);
  return port && to_uint64(a[1], &operation) ? port->call(p, operation, a[2]) : am::badarg;
}

// --- looking -------------------------------------------------------------------------------------
/// That it is asked, for tracers and profilers. (Port::info() is for other threads, too, which must
/// not do what waits for the port.)
static void tell_of_info(Process& p, Port& port) {
  const bool profiled = p.vm().profiled.load(std::memory_order_relaxed) & profiled::ports;
  if (profiled || port.is_traced(traced::running_ports)) Port::Guard told(port, am::info);
}
static bool names_port(Term t) { return is_atom(t) || is_port_of_ours(t); }

BIF(erts_internal, port_info, 1)
{
  if (!names_port(a[0])) return am::badarg;
  auto port = p.vm().ports->find_named(a[0]);
  if (!port) return am::undefined;
  if (port->suspend_behind_own(p)) return kYield;
  PortCall call(p);
  tell_of_info(p, *port);
  ListBuilder items(p.heap);
  for (Term item : {am::registered_name, am::name, am::links, am::id, am::connected, am::input,
                    am::output, am::os_pid}) {
    Term value = port->info(p.heap, item);
    bool unnamed = item == am::registered_name && is_nil(value);
    if (!unnamed) items.add(tuple(p.heap, item, value));
  }
  return items.finish();
}
BIF(erts_internal, port_info, 2)
{
  if (!names_port(a[0])) return am::badtype;
  auto port = p.vm().ports->find_named(a[0]);
  if (!port) return is_atom(a[1]) ? am::undefined : am::badarg;
  if (port->suspend_behind_own(p)) return kYield;
  PortCall call(p);
  tell_of_info(p, *port);
  Term value = port->info(p.heap, a[1]);
  if (is_fault(value)) return am::badarg;
  bool unnamed = a[1] == am::registered_name && is_nil(value);
  return unnamed ? kNil : tuple(p.heap, a[1], value);
}
BIF(erlang, ports, 0)
{
  ListBuilder list(p.heap);
  for (Term id : p.vm().ports->all()) list.add(id);
  return list.finish();
}

BIF(erlang, port_set_data, 2)
{
  auto port = p.vm().ports->find_named(a[0]);
  return port && port->set_data(a[1]) ? am::true_ : kBadarg;
}
BIF(erlang, port_get_data, 1)
{
  auto port = p.vm().ports->find_named(a[0]);
  return port && port->is_open() ? port->data(p.heap) : kBadarg;
}

}  // namespace wb
