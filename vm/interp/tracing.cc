// Breakpoints and the frames they leave (vm/trace/breakpoint.h, frames.h), as instructions.
#include "vm/trace/tracing.h"
#include "loader/code_server.h"
#include "vm/interp/handler.h"
#include "vm/trace/calls.h"
#include "vm/vm.h"

namespace wb {

/// The call becomes one of the process' error handler, as a debugger wants it.
static const Word* call_debugger(Exec& c, const Breakpoint& b) {
  Term args = call_arguments(c, b.arity);
  c.x[0] = b.module, c.x[1] = b.function, c.x[2] = args;
  Export* e = c.vm->code->export_entry(c.p->error_handler(), am::breakpoint, 3);
  return e->entry.load(std::memory_order_acquire);
}

/// Does what is to be done at the breakpoint of entry `I`, which may be the stub of an export.
/// Where to go on (in Exec::pc) and with which handler or native code: at the entry it is what
/// stood in its word.
static Word run_breakpoint(Exec& c, const Word* I, bool stub) {
  auto go_on_at = [&](const Word* at) {
    c.pc = at;
    return std::atomic_ref(const_cast<Word&>(*at)).load(std::memory_order_acquire);
  };
  const Tracing& tracing = *c.vm->tracing;
  Breakpoint* b = stub ? reinterpret_cast<Breakpoint*>(I[1]) : tracing.breakpoints.find(I);
  WB_CHECK(b);
  if (!trace_call(c, *b)) return go_on_at(leave_dying(c));
  const CallPatterns* patterns = b->patterns.load(std::memory_order_acquire);
  if (WB_UNLIKELY(patterns && patterns->debug)) return go_on_at(call_debugger(c, *b));
  Word go_on = b->go_on.load(std::memory_order_acquire);
  if (stub) return go_on_at(reinterpret_cast<const Word*>(go_on));
  c.pc = I;
  return go_on;
}
template <bool stub>
WB_PRESERVE_NONE static void h_breakpoint(WB_HANDLER_ARGS) {
  WB_SPILL();
  Word go_on = run_breakpoint(*C, I, stub);
  I = C->pc;
  WB_RELOAD();
  WB_TAIL reinterpret_cast<Handler>(go_on)(WB_PASS);
}

static const Word* return_again(Exec& c) {
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  return back;
}
template <void (*what)(Exec&)>
static const Word* op_return_frame(Exec& c, const Word* I) {
  what(c);
  return return_again(c);
}

void install_tracing(Word* t, bool) {
  set_slow(t, Instr::breakpoint, &h_breakpoint<false>);
  set_slow(t, Instr::export_breakpoint, &h_breakpoint<true>);
  set_slow(t, Instr::return_trace, &slow_handler<op_return_frame<trace_return>>);
  set_slow(t, Instr::return_to_trace, &slow_handler<op_return_frame<trace_return_to>>);
  set_slow(t, Instr::return_time_trace, &slow_handler<op_return_frame<trace_return_time>>);
}

}  // namespace wb
