// Names of processes and ports.
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/port/ports.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// The process or port that has the name is traced, not the caller.
static void trace_name(Process& p, Term pid, Term tag, Term name) {
  if (is_local_port(pid)) {
    if (auto port = p.vm().ports->find(pid)) {
      Port::Guard guard(*port, Port::Guard::Looking{});
      port->tell_tracer(traced::ports, tag, name);
    }
    return;
  }
  Process* named = p.vm().processes->find(pid);
  if (named && is_traced(*named, traced::procs)) p.vm().hooks->trace_procs(*named, tag, name);
}

static Term register_port(Process& p, Term name, Term id) {
  auto port = p.vm().ports->find(id);
  if (!port) return p.badarg(am::none);
  switch (port->register_name(name)) {
    case ProcessTable::Registered::done:
      return am::true_;
    case ProcessTable::Registered::has_name:
      return p.badarg(am::registered_name);
    case ProcessTable::Registered::taken:
    case ProcessTable::Registered::gone:
      return p.badarg(am::none);
  }
}

BIF(erlang, register, 2)
{
  bool named = is_atom(a[0]) && a[0] != am::undefined;
  if (!named || !(is_local_pid(a[1]) || is_local_port(a[1]))) return p.badarg(am::none);
  if (is_local_port(a[1])) return register_port(p, a[0], a[1]);
  switch (p.vm().processes->register_name(a[0], a[1])) {
    case ProcessTable::Registered::done:
      trace_name(p, a[1], am::register_, a[0]);
      return am::true_;
    case ProcessTable::Registered::taken:
      return p.badarg(am::none);
    case ProcessTable::Registered::has_name:
      return p.badarg(am::registered_name);
    case ProcessTable::Registered::gone:
      return p.badarg(am::notalive);
  }
  return kBadarg;
}
BIF(erlang, unregister, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  Term pid = p.vm().processes->registered(a[0]);
  if (!p.vm().processes->unregister_name(a[0])) return kBadarg;
  trace_name(p, pid, am::unregister, a[0]);
  return am::true_;
}
BIF(erlang, whereis, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  Term pid = p.vm().processes->whereis(a[0]);
  return is_value(pid) ? pid : am::undefined;
}
BIF(erlang, registered, 0)
{
  ListBuilder names(p.heap);
  for (Term name : p.vm().processes->names()) names.add(name);
  return names.finish();
}

}  // namespace wb
