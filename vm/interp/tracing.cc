// Breakpoints and the frames they leave (vm/trace/breakpoint.h, vm/process/trace_frames.h), as
// instructions.
#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/interp/handler.h"
#include "vm/process/trace_frames.h"

namespace wb {

template <bool stub>
WB_PRESERVE_NONE static void h_breakpoint(WB_HANDLER_ARGS) {
  WB_SPILL();
  Word go_on = C->vm->hooks->at_breakpoint(*C, I, stub);
  I = C->pc;
  WB_RELOAD();
  WB_TAIL reinterpret_cast<Handler>(go_on)(WB_PASS);
}

static const Word* return_again(Exec& c) {
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  return back;
}
template <TraceFrame kind>
static const Word* op_return_frame(Exec& c, const Word* I) {
  c.vm->hooks->end_trace_frame(c, kind);
  return return_again(c);
}

void install_tracing(Word* t, bool) {
  set_slow(t, Instr::breakpoint, &h_breakpoint<false>);
  set_slow(t, Instr::export_breakpoint, &h_breakpoint<true>);
  set_slow(t, Instr::return_trace, &slow_handler<op_return_frame<TraceFrame::return_trace>>);
  set_slow(t, Instr::return_to_trace, &slow_handler<op_return_frame<TraceFrame::return_to>>);
  set_slow(t, Instr::return_metered, &slow_handler<op_return_frame<TraceFrame::return_metered>>);
}

}  // namespace wb
