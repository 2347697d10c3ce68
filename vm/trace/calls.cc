#include "vm/trace/calls.h"

#include <utility>

#include <fmt/format.h>

#include "bytecode/instructions.h"
#include "loader/code_table.h"
#include "loader/code_words.h"
#include "term/binary.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/interp/errors.h"
#include "vm/process/extra.h"
#include "vm/process/saved_calls.h"
#include "vm/process/table.h"
#include "vm/trace/call_stops.h"
#include "vm/trace/events.h"
#include "vm/trace/match_actions.h"
#include "vm/trace/message.h"
#include "vm/trace/tracing.h"

namespace wb {

namespace {

Breakpoint* breakpoint_of(Vm& vm, Term number) {
  return vm.tracing->breakpoints.at(static_cast<uint32_t>(small_value(number) >> 1));
}
Term mfa(Heap& h, const Breakpoint& b) {
  return tuple(h, b.module, b.function, make_small(b.arity));
}
bool is_hidden(const Process& p) {
  return p.trace_flags.load(std::memory_order_relaxed) & traced::sensitive;
}
void push(Exec& c, Word w) {
  c.set_e(c.e() - 1);
  *c.e() = w;
}
void push(Exec& c, const Word* code) { push(c, reinterpret_cast<Word>(code)); }

/// An argument as programs know it: what is being matched is the rest of a binary.
Term argument(Heap& h, Term t) {
  if (!is_kind(t, Kind::match_ctx)) return t;
  const MatchContext* m = match_context(t);
  Word at = m->position;
  return sub_bitstring(h, m->base, at, m->end - at);
}
Term arguments(Heap& h, const Term* x, uint32_t n) {
  Term list = kNil;
  for (uint32_t k = n; k-- > 0;) list = cons(h, argument(h, x[k]), list);
  return list;
}

/// What a call leads to.
struct Outcome {
  bool message_sent = false;  ///< a message was sent
  bool returns = false;       ///< return_trace or exception_trace
  bool exceptions = false;
};

Outcome send_call_message(Exec& c, Breakpoint& b, const TraceSpecRef& spec, const Listener& to,
                          bool meta) {
  Process& p = *c.p;
  Outcome o;
  if (!c.vm->tracing->wants(p, to.tracer, am::call)) return o;
  ScratchHeap h;
  Term args = arguments(h, c.x, b.arity);
  Term extra = kNone;
  if (spec) {
    match::Context context = trace_context(p, to);
    Matcher matcher(*spec->program, context);
    if (matcher.run(args, h, false) == kNone) return o;
    const match::Context& seen = matcher.context();
    o.returns = seen.return_trace || seen.exception_trace;
    o.exceptions = seen.exception_trace;
    if (seen.message == am::false_) return o;
    if (seen.message != am::true_) extra = seen.message;
  }
  uint32_t flags = to.flags;
  if (!meta) {
    if (spec) flags = flags_now(p, to);  // it may have changed them
    if (flags & traced::silent) return {};
  }
  Term last = flags & traced::arity && !meta ? make_small(b.arity) : args;
  send_trace_message(p, to.tracer, flags, am::call, {tuple(h, b.module, b.function, last)}, extra);
  o.message_sent = true;
  return o;
}

void push_return_trace(Exec& c, const Breakpoint& b, const Outcome& o, Term tracer) {
  push(c, tracer);
  push(c, make_small(int64_t{b.number} << 1 | o.exceptions));
  push(c, c.vm->code->return_trace);
}

/// In a frame: the observer is notified (watch.h).
constexpr Term kObserver = am::undefined;
/// In a frame: who is notified of the return. A tracer by itself is that of a meta trace, a module
/// a number above 0 (module_tracers.h), a session one below.
Term usual_of(SessionId session) {
  return session == kUsualSession ? am::true_ : make_small(-int64_t{session});
}
bool is_session(Term who) { return who == am::true_ || (is_small(who) && small_value(who) < 0); }
SessionId session_of(Term who) {
  return who == am::true_ ? kUsualSession : static_cast<SessionId>(-small_value(who));
}

void trace_usual(Exec& c, Breakpoint& b, const CallPatterns& patterns, const Listener& to) {
  Process& p = *c.p;
  Outcome o = send_call_message(c, b, patterns.spec, to, false);
  bool returns_to = o.message_sent && patterns.local && flags_now(p, to) & traced::return_to;
  if (returns_to && !has_trace_frame(*c.vm->code, c.e(), TraceFrame::return_to)) {
    push(c, c.vm->code->return_to_trace);
  }
  if (o.returns) push_return_trace(c, b, o, usual_of(to.session));
}

void trace_meta(Exec& c, Breakpoint& b, const CallPatterns& patterns) {
  const Address tracer = patterns.meta_tracer;
  if (tracer == c.p->address()) return;
  if (c.vm->tracing->gone(tracer)) return b.meta_tracer_gone.store(true, std::memory_order_relaxed);
  const SessionId session = b.session.load(std::memory_order_relaxed);
  Outcome o =
      send_call_message(c, b, patterns.meta_spec, {session, tracer, traced::timestamp}, true);
  if (o.returns) push_return_trace(c, b, o, tracer.local_term());
}

void watch_call(Exec& c, const Breakpoint& b) {
  TraceWatch& watch = c.vm->tracing->watch;
  if (!watch.admits()) return;
  constexpr PrintOptions kArgument = {true, true, 1000};
  ScratchHeap h;
  std::string text = atom_source(b.module) + ':' + atom_source(b.function) + '(';
  for (uint32_t k = 0; k < b.arity; ++k) {
    if (k) text += ", ";
    if (text.size() > 4000) {
      text += "...";
      break;
    }
    text += to_text(argument(h, c.x[k]), kArgument);
  }
  watch.add(*c.p, "call", "", text + ')');
  // Of tail calls in a row the first one's return is that of all: their frames would pile up.
  const bool returns_anyway = has_trace_frame(*c.vm->code, c.e(), TraceFrame::return_trace);
  if (watch.wants_returns() && !returns_anyway) {
    push_return_trace(c, b, {.returns = true, .exceptions = true}, kObserver);
  }
}

}  // namespace

Term call_arguments(Exec& c, uint32_t n) { return arguments(c.p->heap, c.x, n); }

/// What one session wants of the call.
static void trace_in_session(Exec& c, Breakpoint& b, const CallPatterns& patterns,
                             const std::vector<Listener>& callers) {
  const SessionId session = b.session.load(std::memory_order_relaxed);
  if (!is_hidden(*c.p)) {
    for (const Listener& l : callers) {
      if (l.session == session && (patterns.local || patterns.global))
        trace_usual(c, b, patterns, l);
    }
    if (patterns.meta) trace_meta(c, b, patterns);
  }
  if (patterns.count && !patterns.count_paused) b.calls.fetch_add(1, std::memory_order_relaxed);
}

/// supervisor:add_restart(State), or do_restart(Reason, Child, State).
static void tally_call(Exec& c, const Breakpoint& b) {
  if (b.arity == 1)
    ++c.p->rare().restarts;
  else
    c.vm->hooks->child_ended(*c.p, c.x[1]);
}

bool trace_call(Exec& c, Breakpoint& b) {
  const CallPatterns* patterns = b.patterns.load(std::memory_order_acquire);
  size_t sessions = 1;
  for (Breakpoint* r = b.next.load(std::memory_order_acquire); r; ++sessions) {
    r = r->next.load(std::memory_order_acquire);
  }
  if (!patterns && sessions == 1) return true;
  if (patterns && patterns->save) {
    if (is_traced(*c.p, traced::saves_calls)) save_call(*c.p, *b.target);
    if (patterns->only_save() && sessions == 1) return true;
  }
  if (patterns && patterns->tally) tally_call(c, b);
  if (!safe_point(c, kMostTraceFrameWords * (sessions + 1), b.arity)) return false;
  // A collection may let other processes run: what was set then may be freed by now, and another
  // session may be there; that one does not see this call.
  std::vector<Listener> callers;
  if (!is_hidden(*c.p)) callers = listeners(*c.p, traced::call);
  bool metered = false;
  Breakpoint* r = &b;
  for (size_t k = 0; r && k < sessions; ++k, r = r->next.load(std::memory_order_acquire)) {
    patterns = r->patterns.load(std::memory_order_acquire);
    if (!patterns) continue;
    trace_in_session(c, *r, *patterns, callers);
    metered |= patterns->metered() != 0;
  }
  patterns = b.patterns.load(std::memory_order_acquire);
  const bool watched = c.p->trace_flags.load(std::memory_order_relaxed) & traced::watch_call;
  if (WB_UNLIKELY(c.vm->tracing->stops && patterns && patterns->watch))
    c.vm->tracing->stops->at_call(c, b);
  if (patterns && patterns->watch && watched && !is_hidden(*c.p)) watch_call(c, b);
  if (metered) enter_metered(c, b);
  return true;
}

// --- returns -------------------------------------------------------------------------------------
Term function_of(Vm& vm, Heap& h, Word address) {
  Term frame = frame_of(vm, h, reinterpret_cast<const Word*>(address) - 1);
  if (!is_boxed(frame)) return am::undefined;
  const Term* e = tuple_elements(frame);
  return tuple(h, e[0], e[1], e[2]);
}
Term function_at(Vm& vm, Heap& h, const Word* at, Term otherwise) {
  return vm.code->module_at(at) ? function_of(vm, h, reinterpret_cast<Word>(at + 1)) : otherwise;
}

static void watch_end(Process& p, const Breakpoint& b, Term tag, Term value) {
  constexpr PrintOptions kValue = {true, true, 2000};
  TraceWatch& watch = p.vm().tracing->watch;
  if (!watch.on() || !is_traced(p, traced::watch_call) || !watch.admits()) return;
  const std::string name =
      fmt::format("{}:{}/{}", atom_source(b.module), atom_source(b.function), b.arity);
  watch.add(p, tag == am::return_from ? "return" : "exception", "",
            name + " -> " + to_text(value, kValue));
}

static void send_end_message(Exec& c, Term number, Term who, Term tag, Term value) {
  Process& p = *c.p;
  const Breakpoint* b = breakpoint_of(*c.vm, number);
  if (!b) return;
  if (who == kObserver) return watch_end(p, *b, tag, value);
  ScratchHeap h;
  if (!is_session(who)) {
    const Address tracer = Address::of_local(who);
    if (who == p.id || is_hidden(p) || c.vm->tracing->gone(tracer)) return;
    return send_trace_message(p, tracer, traced::timestamp, tag, {mfa(h, *b), value});
  }
  const SessionId session = session_of(who);
  for (const Listener& l : listeners(p, traced::call)) {
    if (l.session == session && !(l.flags & traced::silent))
      send_trace_message(p, l.tracer, l.flags, tag, {mfa(h, *b), value});
  }
}

void trace_return(Exec& c) {
  Term* e = c.e();
  send_end_message(c, e[0], e[1], am::return_from, c.x[0]);
  c.set_e(e + 2);
}

void trace_return_metered(Exec& c) {
  leave_metered(*c.p, *c.e());
  c.set_e(c.e() + 1);
}

static void send_return_to_message(Exec& c, const Word* address, bool exact) {
  Process& p = *c.p;
  if (!is_traced(p, traced::return_to)) return;
  FragmentHeap h(64);
  Term to = function_of(*c.vm, h, reinterpret_cast<Word>(address + exact));
  for (const Listener& l : listeners(p, traced::return_to)) {
    if (!(l.flags & traced::silent)) send_trace_message(p, l.tracer, l.flags, am::return_to, {to});
  }
}
void trace_return_to(Exec& c) {
  Word address = *below_trace_frames(*c.vm->code, c.e());
  send_return_to_message(c, reinterpret_cast<const Word*>(address), false);
}

void unwind_trace_frames(Exec& c, const Term* end, const Word* handler, Term error_class,
                         Term reason) {
  const CodeTable& code = *c.vm->code;
  bool return_to = false;  // its frame was the last one before this return address
  bool direct = false;     // it would have returned to the frame that has the handler
  bool any = false;        // there was such a frame
  for (const Term* e = c.e(); e < end; ++e) {
    if (!is_code(*e)) continue;
    switch (trace_frame(code, *e)) {
      case TraceFrame::return_trace:
        if (small_value(e[1]) & 1) {
          ScratchHeap h;
          send_end_message(c, e[1], e[2], am::exception_from, tuple(h, error_class, reason));
        }
        break;
      case TraceFrame::return_to:
        return_to = any = true;
        break;
      case TraceFrame::return_metered:
        leave_metered(*c.p, e[1]);
        break;
      case TraceFrame::none:
        direct = std::exchange(return_to, false);
        break;
    }
  }
  // From OTP 27 on whoever catches is returned to, also from further below.
  if (otp_release() >= 27) direct = any;
  if (direct && handler) send_return_to_message(c, handler, true);
}

// --- the instructions
// ------------------------------------------------------------------------------
/// The call becomes one of the process' error handler, as a debugger wants it.
static const Word* call_debugger(Exec& c, const Breakpoint& b) {
  Term args = call_arguments(c, b.arity);
  c.x[0] = b.module, c.x[1] = b.function, c.x[2] = args;
  Export* e = c.vm->code->export_entry(c.p->error_handler(), am::breakpoint, 3);
  return e->entry.load(std::memory_order_acquire);
}

/// Does what is to be done at the breakpoint of entry `I`, which may be the stub of an export.
/// Where to go on (in Exec::pc) and with which handler or native code: at the entry it is what the
/// layers below say.
Word run_breakpoint(Exec& c, const Word* I, bool stub) {
  auto go_on_at = [&](const Word* at) {
    c.pc = at;
    return CodeWords::load(at);
  };
  const Tracing& tracing = *c.vm->tracing;
  Breakpoint* b = stub ? reinterpret_cast<Breakpoint*>(instr::export_breakpoint{I}.breakpoint())
                       : tracing.breakpoints.find(I);
  WB_CHECK(b);
  if (!trace_call(c, *b)) return go_on_at(leave_dying(c));
  const CallPatterns* patterns = b->patterns.load(std::memory_order_acquire);
  if (WB_UNLIKELY(patterns && patterns->debug)) return go_on_at(call_debugger(c, *b));
  Word go_on = b->go_on.load(std::memory_order_acquire);
  if (stub) return go_on_at(reinterpret_cast<const Word*>(go_on));
  c.pc = I;
  return go_on;
}

void end_trace_frame(Exec& c, TraceFrame kind) {
  switch (kind) {
    case TraceFrame::return_trace:
      return trace_return(c);
    case TraceFrame::return_to:
      return trace_return_to(c);
    case TraceFrame::return_metered:
      return trace_return_metered(c);
    case TraceFrame::none:
      break;
  }
}

}  // namespace wb
