// erts_internal:trace_pattern/3: which calls and which messages are traced.
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/requests.h"
#include "vm/trace/pattern.h"
#include "vm/trace/requests.h"
#include "vm/trace/tracing.h"

namespace wb {

namespace {

/// {M,F,A} with `_` from the right only.
bool to_function_pattern(Term t, FunctionPattern* r) {
  if (!is_tuple_of(t, 3)) return false;
  const Term* e = tuple_elements(t);
  if (!is_atom(e[0]) || !is_atom(e[1])) return false;
  bool any_arity = e[2] == am::underscore;
  if (!any_arity && !is_small(e[2])) return false;
  if (e[0] == am::underscore && e[1] != am::underscore) return false;
  if (e[1] == am::underscore && !any_arity) return false;
  *r = {e[0], e[1], any_arity ? -1 : small_value(e[2])};
  return true;
}

bool take_option(Process& p, Term t, PatternChange* c) {
  switch (t) {
    case am::global:
      c->global = true;
      return true;
    case am::local:
      c->local = true;
      return true;
    case am::meta:
      c->meta = true;
      if (c->session == kUsualSession) c->meta_tracer = p.address();
      return true;
    case am::call_count:
      c->count = true;
      return true;
    case am::call_time:
      c->costs |= bit(CallCost::time);
      return true;
    case am::call_memory:
      if (otp_release() < 26) return false;
      c->costs |= bit(CallCost::memory);
      return true;
    default:
      break;
  }
  if (c->session != kUsualSession) return false;  // it has a tracer
  if (!is_tuple(t) || tuple_elements(t)[0] != am::meta) return false;
  const Term* e = tuple_elements(t);
  c->meta = true;
  if (is_tuple_of(t, 3)) {
    const TraceFlagList given = {.tracer = module_tracer(e[1], e[2]), .state = e[2]};
    ModuleTracerRef module;
    const std::optional<Address> tracer = p.vm().tracing->tracer_of(given, &module);
    if (!is_value(given.tracer) || !tracer) return false;
    c->meta_tracer = *tracer, c->meta_module = std::move(module);
    return true;
  }
  if (!is_tuple_of(t, 2)) return false;
  c->meta_tracer = Address::of_local(e[1]);
  return is_local_pid(e[1]) || is_local_port(e[1]);
}
bool to_options(Process& p, Term list, PatternChange* c) {
  for (; is_cons(list); list = tail(list)) {
    if (!take_option(p, head(list), c)) return false;
  }
  if (!is_nil(list)) return false;
  bool in_code = c->local || c->meta || c->count || c->costs;
  if (c->global && in_code) return false;
  if (!in_code) c->global = true;
  return true;
}

TraceSpecRef compile(Term source, MatchDialect dialect) {
  MatchSpec* spec = MatchSpec::compile(source, dialect);
  return spec ? std::make_shared<const TraceSpec>(spec, source) : nullptr;
}
/// true, false, restart, pause, or a match specification.
bool to_change(Term t, PatternChange* c) {
  switch (t) {
    case am::false_:
      c->what = PatternChange::off;
      return true;
    case am::true_:
    case kNil:
      c->what = PatternChange::on;
      return true;
    case am::restart:
      c->what = PatternChange::restart;
      return true;
    case am::pause:
      c->what = PatternChange::pause;
      return true;
    default:
      c->what = PatternChange::on;
      c->spec = compile(t, MatchDialect::trace);
      return c->spec != nullptr;
  }
}

Term set_message_filter(Process& p, SessionId session, Tracing::Message kind, Term spec,
                        Term options) {
  if (!is_nil(options)) return p.badarg(am::none);
  if (spec == am::pause || spec == am::restart) return p.badarg(am::none);
  TraceEventFilter filter;
  if (spec == am::false_) {
    filter.nothing = true;
  } else if (spec != am::true_ && !is_nil(spec)) {
    bool sent = kind == Tracing::send;
    filter.spec = compile(spec, sent ? MatchDialect::send : MatchDialect::receive);
    if (!filter.spec) return p.badarg(am::match_spec);
  }
  p.vm().tracing->set_filter(kind, std::move(filter), session);
  return make_small(1);
}

/// Who is inside native code that does not pass its entry has left it when all have passed.
Term when_native_left(Process& p, int64_t n) {
  Breakpoints& all = p.vm().tracing->breakpoints;
  auto lock = all.lock();
  const bool wait = all.has_hidden_native();
  lock.unlock();
  return wait ? await_progress(p, make_small(n)) : make_small(n);
}

}  // namespace

Term pattern_request(Process& p, SessionId session, Term which_functions, Term what, Term options) {
  if (which_functions == am::send)
    return set_message_filter(p, session, Tracing::send, what, options);
  if (which_functions == am::receive)
    return set_message_filter(p, session, Tracing::receive, what, options);
  Breakpoints& all = p.vm().tracing->breakpoints;
  PatternChange change;
  change.session = session;
  if (session != kUsualSession) change.meta_tracer = p.vm().tracing->session_tracer(session);
  if (!to_options(p, options, &change)) return p.badarg(am::badopt);
  if (!to_change(what, &change)) return p.badarg(am::match_spec);
  if (change.spec && !change.global && !change.local && !change.meta) {
    return p.badarg(am::call_count);
  }
  if (which_functions == am::on_load) {
    auto lock = all.lock();
    CallPatterns& now = all.for_new[session];
    now = changed(now, change);
    return make_small(0);
  }
  FunctionPattern which;
  if (!to_function_pattern(which_functions, &which)) return p.badarg(am::none);
  if (which.arity < -1 || which.arity > 255) return make_small(0);
  if (which.arity == -1 && tuple_elements(which_functions)[2] != am::underscore)
    return make_small(0);
  return when_native_left(p, change_patterns(p.vm(), which, change));
}
BIF(erts_internal, trace_pattern, 3)
{
  return pattern_request(p, kUsualSession, a[0], a[1], a[2]);
}

/// breakpoint({M,F,A}, On): calls of these functions become calls of M's error handler.
BIF(erts_debug, breakpoint, 2)
{
  FunctionPattern which;
  if ((a[1] != am::true_ && a[1] != am::false_) || !to_function_pattern(a[0], &which)) {
    return kBadarg;
  }
  PatternChange change;
  change.debug = true;
  change.what = a[1] == am::true_ ? PatternChange::on : PatternChange::off;
  return when_native_left(p, change_patterns(p.vm(), which, change));
}

}  // namespace wb
