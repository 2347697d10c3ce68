// Module `trace`: sessions, and what is asked of one (requests.h).
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/trace_flags.h"
#include "vm/trace/requests.h"
#include "vm/trace/tracing.h"

namespace wb {
namespace {

/// A pid, a port, {Module, State}; nothing: no tracer.
std::optional<Address> tracer_of(Tracing& tracing, Term t, ModuleTracerRef* module) {
  TraceFlagList given{.tracer = t};
  if (is_tuple_of(t, 2)) {
    given.state = tuple_elements(t)[1];
    given.tracer = module_tracer(tuple_elements(t)[0], given.state);
    if (!is_value(given.tracer)) return {};
  } else if (!is_local_pid(t) && !is_local_port(t)) {
    return {};
  }
  return tracing.tracer_of(given, module);
}

Term no_session(Process& p) { return p.badarg(intern("session")); }

}  // namespace

BIF(erts_internal, trace_session_create, 3)
{
  Tracing& t = *p.vm().tracing;
  ModuleTracerRef module;  // until the session has it
  const std::optional<Address> tracer = tracer_of(t, a[1], &module);
  if (!is_atom(a[0]) || !tracer || !is_nil(a[2])) return kBadarg;
  auto life = std::make_shared<SessionLife>();
  const SessionId id = t.create_session(a[0], *tracer, life);
  return make_session_term(p.vm(), p.heap, a[0], id, std::move(life));
}

BIF(erts_internal, trace_session_destroy, 1)
{
  SessionId id;
  if (p.vm().tracing->find_session(a[0], &id))
    return make_bool(p.vm().tracing->destroy_session(id));
  return is_strong_session(a[0]) ? am::false_ : p.badarg(am::badopt);
}

BIF(erts_internal, trace, 4)
{
  SessionId id;
  if (!p.vm().tracing->find_session(a[0], &id)) return no_session(p);
  return trace_request(p, id, a[1], a[2], a[3]);
}
BIF(erts_internal, trace_pattern, 4)
{
  SessionId id;
  if (!p.vm().tracing->find_session(a[0], &id)) return no_session(p);
  return pattern_request(p, id, a[1], a[2], a[3]);
}
BIF(erts_internal, trace_info, 3)
{
  if (a[0] == am::any && a[2] == intern("session")) {
    p.vm().tracing->sweep();
    return sessions_request(p, a[1]);
  }
  SessionId id;
  if (!p.vm().tracing->find_session(a[0], &id)) return no_session(p);
  return info_request(p, id, a[1], a[2]);
}

/// Are there processes and ports to be cleaned, one after the other? Sessions are forgotten at
/// once.
BIF(erts_trace_cleaner, check, 0)
{
  p.vm().tracing->sweep();
  return am::false_;
}
BIF(erts_trace_cleaner, send_trace_clean_signal, 1)
{
  return am::false_;
}

}  // namespace wb
