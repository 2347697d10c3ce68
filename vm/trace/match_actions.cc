// What a match specification does when it runs for an event of a traced process. Where it is only
// tested (Context::process is null) an action checks its arguments and does nothing.
#include "vm/trace/match_actions.h"

#include <cstdio>

#include "term/atom.h"
#include "term/binary.h"
#include "term/copy.h"
#include "term/external.h"
#include "term/print.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/ets/match_functions.h"
#include "vm/interp/errors.h"
#include "vm/process/backtrace.h"
#include "vm/process/info.h"
#include "vm/process/sequential.h"
#include "vm/process/table.h"
#include "vm/process/trace_frames.h"
#include "vm/trace/tracing.h"

namespace wb {

match::Context trace_context(Process& p, const Listener& listener) {
  match::Context c;
  c.self = p.id;
  c.node = local_node().name;
  c.process = &p;
  c.tracer = listener.tracer.local_term();
  c.session = listener.session;
  c.control_word = p.vm().settings->trace_control_word.load(std::memory_order_relaxed);
  return c;
}

namespace match {

#define FN(name) \
  Term name([[maybe_unused]] Context& c, [[maybe_unused]] Heap& h, [[maybe_unused]] const Term* a)

// --- what becomes of the event -------------------------------------------------------------------
FN(message) {
  c.message = is_pointer(a[0]) ? copy_term_deep(*c.out, a[0]) : a[0];
  return am::true_;
}
FN(return_trace) {
  c.return_trace = true;
  return am::true_;
}
FN(exception_trace) {
  c.exception_trace = true;
  return am::true_;
}
FN(display) {
  std::string text = to_text(a[0], {.strings = true}) + "\n";
  if (c.process) fwrite(text.data(), 1, text.size(), stdout);
  return am::true_;
}

// --- the trace control word ----------------------------------------------------------------------
FN(control_word) { return make_small(c.control_word); }
FN(set_control_word) {
  bool fits = is_small(a[0]) && small_value(a[0]) >= 0 && small_value(a[0]) <= UINT32_MAX;
  if (!fits) return kBadarg;
  auto next = static_cast<uint32_t>(small_value(a[0]));
  if (!c.process) return make_small(c.control_word);
  c.control_word = next;
  return make_small(c.process->vm().settings->trace_control_word.exchange(next));
}

// --- who called ----------------------------------------------------------------------------------
/// The frame of the traced function's caller, or kNil.
static Term caller_frame(Context& c, Heap& h) {
  if (!c.process) return kNil;
  Vm& vm = c.process->vm();
  const Term* e = below_trace_frames(*vm.code, c.process->heap.stack());
  return frame_of(vm, h, reinterpret_cast<const Word*>(*e) - 1);
}
FN(caller) {
  Term frame = caller_frame(c, h);
  if (!is_boxed(frame)) return am::undefined;
  const Term* e = tuple_elements(frame);
  return tuple(h, e[0], e[1], e[2]);
}
/// The element of a location list with this key.
static Term part_of(Term location, Term key) {
  for (; is_cons(location); location = tail(location)) {
    if (tuple_elements(head(location))[0] == key) return tuple_elements(head(location))[1];
  }
  return kNone;
}
FN(caller_line) {
  Term frame = caller_frame(c, h);
  if (!is_boxed(frame)) return am::undefined;
  const Term* e = tuple_elements(frame);
  Term file = part_of(e[3], am::file), line = part_of(e[3], am::line);
  Term where = is_value(line) ? tuple(h, file, line) : am::undefined;
  return tuple(h, e[0], e[1], e[2], where);
}
FN(process_dump) {
  if (!c.process) return am::true_;
  std::string text = process_dump(*c.process, in_called(*c.process));
  return make_binary(h, text.data(), text.size());
}

// --- switching tracing on and off ----------------------------------------------------------------
static Process* find_process(Context& c, Term who) {
  ProcessTable& all = *c.process->vm().processes;
  return all.find(is_atom(who) ? all.registered(who) : who);
}
/// The flag of enable_trace and disable_trace: one that a process can have.
static uint32_t one_flag(Term t) { return t == am::all ? 0 : to_trace_flag(t); }
static Term switch_one(Context& c, Process* p, bool on, Term flag) {
  uint32_t bit = one_flag(flag);
  if (!bit) return kBadarg;
  if (!c.process) return am::true_;
  if (p) {
    const Address tracer = c.process->tracer.load(std::memory_order_relaxed);
    p->vm().tracing->change(*p, on, bit, tracer, c.session);
  }
  return am::true_;
}
FN(enable_self) { return switch_one(c, c.process, true, a[0]); }
FN(disable_self) { return switch_one(c, c.process, false, a[0]); }
FN(enable_other) { return switch_one(c, c.process ? find_process(c, a[0]) : nullptr, true, a[1]); }
FN(disable_other) {
  return switch_one(c, c.process ? find_process(c, a[0]) : nullptr, false, a[1]);
}

/// {trace, Off, On} for process `p`: true if that changed anything.
static Term switch_many(Context& c, Process* p, Term off, Term on) {
  auto less = to_trace_flags(off), more = to_trace_flags(on);
  if (!less || !more || less->cpu_timestamp || more->cpu_timestamp) return kBadarg;
  if (!c.process || !p) return am::false_;
  const TraceFlagList& given = is_value(more->tracer) ? *more : *less;
  Tracing& tracing = *p->vm().tracing;
  ModuleTracerRef module;
  Address tracer = c.process->tracer.load(std::memory_order_relaxed);
  if (is_value(given.tracer)) tracer = tracing.tracer_of(given, &module).value_or(Address());
  return make_bool(tracing.replace(*p, less->flags, more->flags, tracer, c.session));
}
FN(trace_self) { return switch_many(c, c.process, a[0], a[1]); }
FN(trace_other) { return switch_many(c, c.process ? find_process(c, a[0]) : nullptr, a[1], a[2]); }
FN(silent) {
  if (!c.process || (a[0] != am::true_ && a[0] != am::false_)) return am::true_;
  Process& p = *c.process;
  Address tracer = p.tracer.load(std::memory_order_relaxed);
  if (tracer || c.session != kUsualSession)
    p.vm().tracing->change(p, a[0] == am::true_, traced::silent, tracer, c.session);
  return am::true_;
}

// --- sequential tracing. A test looks at the token and leaves it as it is. -----------------------
FN(set_seq_token) {
  if (!c.process) return c.tester ? seq_component(*c.tester, h, a[0]) : kNil;
  return is_fault(set_seq_component(*c.process, h, a[0], a[1])) ? kBadarg : am::true_;
}
FN(get_seq_token) {
  Process* p = c.process ? c.process : c.tester;
  return p ? seq_token(*p, h) : kNil;
}
FN(is_seq_trace) { return make_bool(get_seq_token(c, h, a) != kNil); }

}  // namespace match
}  // namespace wb
