// erlang:trace/3, trace_info/2 of processes, trace_delivered/1. Functions: trace_pattern.cc.
#include "vm/bif/bif.h"
#include "vm/process/report.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/trace/tracing.h"
#include "vm/vm.h"

namespace wb {

namespace {

/// Which processes: those that are there, those to come, or both.
struct Group {
  bool existing = false, coming = false;
};
bool to_group(Term t, Group* g) {
  switch (t) {
    case am::all:
    case am::processes:
      *g = {true, true};
      return true;
    case am::existing:
    case am::existing_processes:
      *g = {true, false};
      return true;
    case am::new_:
    case am::new_processes:
      *g = {false, true};
      return true;
    case am::ports:  // there are none
    case am::existing_ports:
    case am::new_ports:
      return true;
    default:
      return false;
  }
}

Term trace_group(Process& p, const Group& g, bool on, const TraceFlagList& list, Term tracer) {
  Tracing& t = *p.vm().tracing;
  if (g.coming) t.change_new(on, list.flags, tracer);
  int64_t n = 0;
  if (g.existing) {
    p.vm().processes->each([&](Process& q) {
      if (!q.system && t.change(q, on, list.flags, tracer)) ++n;
    });
  }
  return make_small(n);
}

}  // namespace

BIF(erts_internal, trace, 3)
{
  auto list = to_trace_flags(a[2]);
  if (!list) return p.badarg(am::badopt);
  if (a[1] != am::true_ && a[1] != am::false_) return kBadarg;
  if (list->module) return kNotSupported;  // tracer modules are native code
  bool on = a[1] == am::true_;
  Term tracer = is_value(list->tracer) ? list->tracer : p.id;
  if (list->cpu_timestamp) {
    if (a[0] != am::all) return kBadarg;
    p.vm().tracing->cpu_time.store(on, std::memory_order_relaxed);
  }
  if (is_local_pid(a[0])) {
    Process* q = p.vm().processes->find(a[0]);
    if (!q) return kBadarg;
    if (p.vm().tracing->change(*q, on, list->flags, tracer)) return make_small(1);
    report_second_tracer(p);
    return kBadarg;
  }
  Group g;
  if (!to_group(a[0], &g)) return kBadarg;
  return trace_group(p, g, on, *list, tracer);
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

Term state_info(Heap& h, Term key, Tracing::State s) {
  if (key == am::flags) return tuple(h, key, trace_flag_list(h, s.flags));
  if (key == am::tracer) return tuple(h, key, is_value(s.tracer) ? s.tracer : kNil);
  return kBadarg;
}

}  // namespace

BIF(erlang, trace_info, 2)
{
  Tracing& t = *p.vm().tracing;
  switch (a[0]) {
    case am::new_:
    case am::new_processes:
      return state_info(p.heap, a[1], t.new_state());
    case am::new_ports:
      return state_info(p.heap, a[1], {});
    default:
      break;
  }
  if (!is_local_pid(a[0])) return p.badarg(am::badopt);
  Process* q = p.vm().processes->find(a[0]);
  if (!q) return a[1] == am::flags || a[1] == am::tracer ? am::undefined : kBadarg;
  return state_info(p.heap, a[1], t.state(*q));
}

}  // namespace wb
