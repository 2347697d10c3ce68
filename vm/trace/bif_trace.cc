// erlang:trace/3, trace_info/2 of processes, trace_delivered/1. Functions: bif_trace_pattern.cc.
#include <algorithm>
#include <optional>

#include "term/copy.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/port/ports.h"
#include "vm/process/report.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/trace/pattern.h"
#include "vm/trace/ports.h"
#include "vm/trace/requests.h"
#include "vm/trace/tracing.h"

namespace wb {

namespace {

/// Which processes and ports: those that are there, those to come, or both.
struct Group {
  bool processes = false, ports = false;
  bool existing = false, coming = false;
};
bool to_group(Term t, Group* g) {
  switch (t) {
    case am::all:
      *g = {true, true, true, true};
      return true;
    case am::processes:
      *g = {true, false, true, true};
      return true;
    case am::existing:
      *g = {true, true, true, false};
      return true;
    case am::existing_processes:
      *g = {true, false, true, false};
      return true;
    case am::new_:
      *g = {true, true, false, true};
      return true;
    case am::new_processes:
      *g = {true, false, false, true};
      return true;
    case am::ports:
      *g = {false, true, true, true};
      return true;
    case am::existing_ports:
      *g = {false, true, true, false};
      return true;
    case am::new_ports:
      *g = {false, true, false, true};
      return true;
    default:
      return false;
  }
}

bool traces_or_nobody(Process& p, Address tracer) {
  const Address now = p.vm().tracing->state(p).tracer;
  return !now || now == tracer;
}

/// Ports are traced in the usual session only.
Term trace_group(Process& p, const Group& g, bool on, const TraceFlagList& list, Address tracer,
                 SessionId session) {
  Tracing& t = *p.vm().tracing;
  const bool ports = g.ports && session == kUsualSession;
  if (g.coming && g.processes) t.change_new(on, list.flags, tracer, session);
  if (g.coming && ports) t.ports->change_new(on, list.flags, tracer);
  int64_t n = 0;
  if (g.existing && g.ports) {
    for (Term id : p.vm().ports->all()) {
      auto port = p.vm().ports->find(id);
      if (port && t.ports->change(*port, on, list.flags, tracer)) ++n;
    }
  }
  if (g.existing && g.processes) {
    p.vm().processes->each([&](Process& q) {
      if (!q.system && t.change(q, on, list.flags, tracer, session)) ++n;
    });
  }
  return make_small(n);
}

}  // namespace

Term trace_request(Process& p, SessionId session, Term who, Term how, Term flags) {
  auto list = to_trace_flags(flags);
  if (!list) return p.badarg(am::badopt);
  // [], which is nobody, is as one that has ended.
  const bool given = is_value(list->tracer);
  if (session != kUsualSession && given) return p.badarg(am::badopt);
  if (!given) list->tracer = p.id;
  ModuleTracerRef module;
  const std::optional<Address> meant = p.vm().tracing->tracer_of(*list, &module);
  if (!meant) return p.badarg(am::badopt);
  const Address tracer = *meant;
  if (how != am::true_ && how != am::false_) return kBadarg;
  bool on = how == am::true_;
  if (list->cpu_timestamp) {
    if (who != am::all) return kBadarg;
    p.vm().cpu_timestamps.store(on, std::memory_order_relaxed);
  }
  if (is_local_pid(who)) {
    Process* q = p.vm().processes->find(who);
    if (!q) return kBadarg;
    Tracing& t = *p.vm().tracing;
    const bool usual = session == kUsualSession;
    if (q->tracer.load(std::memory_order_relaxed) != tracer) t.ask_tracer(*q);
    if (on && module && !t.is_there(*q, tracer)) return make_small(1);
    const bool others = usual && !on && given && !traces_or_nobody(*q, tracer);
    if (!others && t.change(*q, on, list->flags, tracer, session)) return make_small(1);
    report_second_tracer(p);
    return kBadarg;
  }
  if (is_local_port(who) && session == kUsualSession) {
    auto port = p.vm().ports->find(who);
    if (!port) return kBadarg;
    TracedPorts& ports = *p.vm().tracing->ports;
    const bool others = !on && given && ports.has_other(*port, tracer);
    if (!others && ports.change(*port, on, list->flags, tracer)) return make_small(1);
    report_second_tracer(p);
    return kBadarg;
  }
  Group g;
  if (!to_group(who, &g)) return kBadarg;
  return trace_group(p, g, on, *list, tracer, session);
}
BIF(erts_internal, trace, 3)
{
  return trace_request(p, kUsualSession, a[0], a[1], a[2]);
}

/// Trace messages are sent when the event happens (tracing.h): what is to be delivered has been.
BIF(erlang, trace_delivered, 1)
{
  if (a[0] != am::all && !is_local_pid(a[0])) return kBadarg;
  Term ref = p.vm().new_ref(p.heap);
  Term message = tuple(p.heap, am::trace_delivered, a[0], ref);
  push_signal(p, new_signal(SignalKind::message, message));
  return ref;
}

namespace {

Term state_info(Process& p, Term key, Tracing::State s) {
  Heap& h = p.heap;
  if (key == am::flags) return tuple(h, key, trace_flag_list(h, s.flags));
  if (key == am::tracer) return tuple(h, key, p.vm().tracing->tracer_term(h, s.tracer));
  return kBadarg;
}

}  // namespace

// --- trace_info/2 of functions and events --------------------------------------------------------
namespace {

Term spec_term(Heap& h, bool on, const TraceSpecRef& spec) {
  if (!on) return am::false_;
  return spec ? copy_term_deep(h, spec->source.get()) : kNil;
}
Term times_list(Heap& h, Breakpoint& b) {
  std::lock_guard lock(b.costs_lock);
  Term list = kNil;
  for (auto& [pid, t] : b.costs_of(CallCost::time)) {
    int64_t us = t.spent / 1000;
    Term one = tuple(h, pid, make_integer(h, t.calls), make_small(us / 1'000'000),
                     make_small(us % 1'000'000));
    list = cons(h, one, list);
  }
  return list;
}
Term words_list(Heap& h, Breakpoint& b) {
  std::lock_guard lock(b.costs_lock);
  Term list = kNil;
  for (auto& [pid, m] : b.costs_of(CallCost::memory)) {
    list = cons(h, tuple(h, pid, make_integer(h, m.calls), make_integer(h, m.spent)), list);
  }
  return list;
}
/// Without a record there are no counters: the pseudo function on_load.
Term pattern_value(Process& p, Term key, const CallPatterns& c, Breakpoint* b) {
  Heap& h = p.heap;
  switch (key) {
    case am::traced:
      return c.global ? am::global : c.local ? am::local : am::false_;
    case am::match_spec:
      return spec_term(h, c.global || c.local, c.spec);
    case am::meta:
      if (c.meta && b && b->meta_tracer_gone.load(std::memory_order_relaxed)) return kNil;
      return c.meta ? p.vm().tracing->tracer_term(h, c.meta_tracer) : am::false_;
    case am::meta_match_spec:
      return spec_term(h, c.meta, c.meta_spec);
    case am::call_count:
      if (!c.count) return am::false_;
      return b ? make_integer(h, b->calls.load(std::memory_order_relaxed)) : am::true_;
    case am::call_time:
      if (!(c.costs & bit(CallCost::time))) return am::false_;
      return b ? times_list(h, *b) : am::true_;
    case am::call_memory:
      if (!(c.costs & bit(CallCost::memory))) return am::false_;
      return b ? words_list(h, *b) : am::true_;
    default:
      return am::false_;
  }
}
Term all_values(Process& p, const CallPatterns& c, Breakpoint* b, bool on_load) {
  if (!c.by_program()) return am::false_;
  ListBuilder list(p.heap);
  for (Term key :
       {am::traced, am::match_spec, am::meta, am::meta_match_spec, am::call_time, am::call_count}) {
    if (key == am::call_time && on_load) continue;
    if (key == am::call_time && otp_release() >= 26)
      list.add(tuple(p.heap, am::call_memory, pattern_value(p, am::call_memory, c, b)));
    list.add(tuple(p.heap, key, pattern_value(p, key, c, b)));
  }
  return list.finish();
}
Term pattern_info(Process& p, Term key, const CallPatterns& c, Breakpoint* b, bool on_load) {
  bool all = key == am::all;
  return tuple(p.heap, key, all ? all_values(p, c, b, on_load) : pattern_value(p, key, c, b));
}
/// From 28 on other items are refused, where there is such a function.
bool is_item(Term key) {
  switch (key) {
    case am::traced:
    case am::match_spec:
    case am::meta:
    case am::meta_match_spec:
    case am::call_count:
    case am::call_time:
    case am::all:
      return true;
    default:
      return key == am::call_memory;
  }
}
Term function_info(Process& p, SessionId session, Term function, Term key) {
  const Term* e = tuple_elements(function);
  if (!is_atom(e[0]) || !is_atom(e[1]) || !is_small(e[2])) return p.badarg(am::badopt);
  int64_t arity = small_value(e[2]);
  FunctionState s;
  if (arity >= 0 && arity < 256) {
    s = function_state(p.vm(), e[0], e[1], static_cast<uint32_t>(arity), session);
  }
  if (!s.exists) return tuple(p.heap, key, am::undefined);
  if (otp_release() >= 28 && (!is_atom(key) || !is_item(key))) return kBadarg;
  return pattern_info(p, key, s.patterns, s.counted, false);
}
Term message_info(Process& p, SessionId session, Tracing::Message kind, Term key) {
  if (key != am::match_spec) return kBadarg;
  auto filter = p.vm().tracing->filter(kind, session);
  Term value = !filter           ? am::true_
               : filter->nothing ? am::false_
                                 : copy_term_deep(p.heap, filter->spec->source.get());
  return tuple(p.heap, key, value);
}

}  // namespace

Term info_request(Process& p, SessionId session, Term about, Term item) {
  Tracing& t = *p.vm().tracing;
  switch (about) {
    case am::new_:
    case am::new_processes:
      return state_info(p, item, t.new_state(session));
    case am::new_ports:
      return state_info(p, item,
                        session == kUsualSession ? t.ports->new_state() : Tracing::State{});
    case am::on_load: {
      auto lock = t.breakpoints.lock();
      auto found = t.breakpoints.for_new.find(session);
      CallPatterns patterns = found == t.breakpoints.for_new.end() ? CallPatterns{} : found->second;
      return pattern_info(p, item, patterns, nullptr, true);
    }
    case am::send:
      return message_info(p, session, Tracing::send, item);
    case am::receive:
      return message_info(p, session, Tracing::receive, item);
    case am::system:
      if (otp_release() < 28 || item != am::all) return p.badarg(am::badopt);
      return tuple(p.heap, about, monitor_items(p, session));
    default:
      break;
  }
  if (is_tuple_of(about, 3)) return function_info(p, session, about, item);
  if (is_local_port(about) && session == kUsualSession) {
    auto port = p.vm().ports->find(about);
    return port ? state_info(p, item, t.ports->state(*port)) : am::undefined;
  }
  if (!is_local_pid(about)) return p.badarg(am::badopt);
  Process* q = p.vm().processes->find(about);
  if (!q) return item == am::flags || item == am::tracer ? am::undefined : kBadarg;
  t.ask_tracer(*q);
  return state_info(p, item, t.state(*q, session));
}
BIF(erlang, trace_info, 2)
{
  return info_request(p, kUsualSession, a[0], a[1]);
}

// --- in which sessions ---------------------------------------------------------------------------
namespace {

/// Is anything traced in this session? Nothing: there is no such process or function.
using InSession = std::optional<bool>;
InSession process_in(Process& p, Term pid, SessionId session) {
  Process* q = p.vm().processes->find(pid);
  if (!q) return {};
  return p.vm().tracing->state(*q, session).flags != 0;
}
InSession function_in(Process& p, Term function, SessionId session) {
  const Term* e = tuple_elements(function);
  const int64_t arity = small_value(e[2]);
  if (arity < 0 || arity > 255) return {};
  FunctionState s = function_state(p.vm(), e[0], e[1], static_cast<uint32_t>(arity), session);
  if (!s.exists) return {};
  return s.patterns.by_program();
}
bool message_in(Process& p, Tracing::Message kind, SessionId session) {
  auto filter = p.vm().tracing->filter(kind, session);
  return !filter || !filter->nothing;
}
InSession in_session(Process& p, Term about, SessionId session) {
  Tracing& t = *p.vm().tracing;
  switch (about) {
    case am::any:
    case am::all:
      return true;
    case am::new_:
    case am::new_processes:
      return t.new_state(session).flags != 0;
    case am::new_ports:
      return false;
    case am::on_load: {
      auto lock = t.breakpoints.lock();
      auto found = t.breakpoints.for_new.find(session);
      return found != t.breakpoints.for_new.end() && found->second.by_program();
    }
    case am::send:
      return message_in(p, Tracing::send, session);
    case am::receive:
      return message_in(p, Tracing::receive, session);
    default:
      break;
  }
  if (is_local_port(about)) return false;
  return is_tuple(about) ? function_in(p, about, session) : process_in(p, about, session);
}
bool is_function_name(Term t) {
  if (!is_tuple_of(t, 3)) return false;
  const Term* e = tuple_elements(t);
  return is_atom(e[0]) && is_atom(e[1]) && is_small(e[2]);
}

}  // namespace

Term sessions_request(Process& p, Term about) {
  constexpr Term kKnown[] = {am::any,       am::all,     am::new_, am::new_processes,
                             am::new_ports, am::on_load, am::send, am::receive};
  if (is_tuple(about)) {
    if (!is_function_name(about)) return kBadarg;
  } else if (!is_local_pid(about) && !is_local_port(about) &&
             std::ranges::find(kKnown, about) == std::end(kKnown)) {
    return p.badarg(am::badopt);
  }
  ListBuilder list(p.heap);
  const Term key = intern("session");
  for (SessionId session : p.vm().tracing->sessions()) {
    const InSession in = in_session(p, about, session);
    if (!in) return am::undefined;
    if (!*in) continue;
    if (session == kUsualSession) {
      list.add(tuple(p.heap, intern("legacy"), am::default_));
    } else if (auto name = p.vm().tracing->session_name(session)) {
      list.add(weak_session_term(p.heap, *name, session));
    }
  }
  return tuple(p.heap, key, list.finish());
}

}  // namespace wb
