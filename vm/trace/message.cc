#include "vm/trace/message.h"

#include "scheduler/scheduler.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/process/route.h"
#include "vm/process/time_stamp.h"
#include "vm/trace/tracing.h"

namespace wb {

std::vector<Listener> listeners(Process& p, uint32_t flags) {
  uint32_t on = p.trace_flags.load(std::memory_order_relaxed);
  if (!(on & flags) || on & traced::sensitive) return {};
  if (on & traced::in_sessions) return p.vm().tracing->listeners(p, flags);
  Address tracer = p.tracer.load(std::memory_order_relaxed);
  if (!tracer || tracer == p.address()) return {};
  if (ModuleTracers::is_module(tracer) || !p.vm().tracing->gone(tracer))
    return {{kUsualSession, tracer, on}};
  p.vm().tracing->state(p);  // notices that it has ended
  return {};
}

uint32_t flags_now(Process& p, const Listener& l) {
  const uint32_t on = p.trace_flags.load(std::memory_order_relaxed);
  if (l.session == kUsualSession && !(on & traced::in_sessions)) return on;
  return p.vm().tracing->state(p, l.session).flags;
}

static int64_t scheduler_number() {
  Worker* w = Scheduler::current();
  return w ? int64_t{w->index()} + 1 : 0;
}

// --- messages ------------------------------------------------------------------------------------
constexpr size_t kMostElements = 10;
constexpr size_t kTimestampWords = 16;

/// Has a module been asked already? About a call before a match specification was run for it; how
/// the call ends belongs to it.
static bool is_of_call(Term tag) {
  return tag == am::call || tag == am::return_from || tag == am::return_to ||
         tag == am::exception_from;
}
/// As in BEAM: what is done to a process may be told by anybody.
static bool is_of_itself(Term tag) {
  switch (tag) {
    case am::send:
    case am::send_to_non_existing_process:
    case am::in:
    case am::out:
    case am::in_exiting:
    case am::out_exiting:
    case am::out_exited:
    case am::gc_major_start:
    case am::gc_major_end:
    case am::gc_minor_start:
    case am::gc_minor_end:
      return true;
    default:
      return is_of_call(tag);
  }
}
static void tell_module(Process& p, Address tracer, uint32_t flags, Term tag,
                        std::initializer_list<Term> data, Term verdict) {
  Tracing& tracing = *p.vm().tracing;
  if (!is_of_call(tag) && !tracing.wants(p, tracer, tag)) return;
  const Term* e = data.begin();
  tracing.modules.trace(tracer, {.tag = tag,
                                 .about = p.id,
                                 .what = e[0],
                                 .extra = data.size() > 1 ? e[1] : kNone,
                                 .verdict = verdict,
                                 .flags = flags,
                                 .self = is_of_itself(tag) ? &p : nullptr});
}

void send_trace_message(Process& p, Address tracer, uint32_t flags, Term tag,
                        std::initializer_list<Term> data, Term extra) {
  if (ModuleTracers::is_module(tracer)) return tell_module(p, tracer, flags, tag, data, extra);
  send_trace_message(p.vm(), p.id, tracer, flags, tag, data, extra);
}

void send_trace_message(Vm& vm, Term about, Address tracer, uint32_t flags, Term tag,
                        std::initializer_list<Term> data, Term extra) {
  size_t words = kMostElements + 1 + kTimestampWords;
  for (Term t : data) words += flat_size(t);
  if (is_value(extra)) words += flat_size(extra);
  FragmentHeap h(words);
  Term elements[kMostElements];
  size_t n = 0;
  bool stamped = flags & traced::any_timestamp;
  elements[n++] = stamped ? am::trace_ts : am::trace;
  elements[n++] = about;
  elements[n++] = tag;
  for (Term t : data) elements[n++] = copy_term(h, t);
  if (is_value(extra)) elements[n++] = copy_term(h, extra);
  if (flags & traced::scheduler_id) {
    elements[n++] = make_small(scheduler_number());
  }
  if (stamped) elements[n++] = trace_timestamp(vm, h, flags);
  Term* to;
  Term message = new_tuple(h, n, &to);
  std::copy(elements, elements + n, to);
  if (tracer.is_local_port()) return vm.tracing->modules.tell_port(tracer, message);
  Signal* s = new_signal(SignalKind::message);
  s->term = message;
  s->fragment = h.take_fragments();
  route(vm, tracer, s);
}

}  // namespace wb
