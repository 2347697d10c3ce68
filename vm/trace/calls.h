// What happens when a traced function is called, and when it returns.
#pragma once

#include "vm/process/exec.h"
#include "vm/process/trace_frames.h"
#include "vm/trace/breakpoint.h"

namespace wb {

/// A process is at a breakpoint's entry with its arguments in x: does what the patterns say. False:
/// it has no memory for that and must die.
bool trace_call(Exec& c, Breakpoint& b);
/// The arguments of a call of arity `n`, in x, as a list.
Term call_arguments(Exec& c, uint32_t n);

/// A process is at a breakpoint, the instruction `I` (see VmHooks::at_breakpoint).
Word run_breakpoint(Exec& c, const Word* I, bool stub);

// Frames (trace_frames.h) at the top of the stack, their address already popped, the value in x[0].
// Each drops the rest of its frame.
void trace_return(Exec& c);
void trace_return_to(Exec& c);
void trace_return_metered(Exec& c);
void end_trace_frame(Exec& c, TraceFrame kind);  ///< that of the kind

/// An exception unwinds the stack from its top to `handler`'s frame (`frame`; at the end there is
/// none): reports every frame of tracing on the way.
void unwind_trace_frames(Exec& c, const Term* end, const Word* handler, Term error_class,
                         Term reason);

/// The function that a return address belongs to: {M,F,A}, or undefined.
Term function_of(Vm& vm, Heap& h, Word address);
/// That of the code at `at`; `otherwise`: there is none, as where a process has not begun.
Term function_at(Vm& vm, Heap& h, const Word* at, Term otherwise);

// --- call_time, call_memory: the meters of a process stand still while it does not run
void stop_call_meters(Process& p);
void start_call_meters(Process& p);
/// The traced function at the top of the stack was called; a frame of return_metered ends.
void enter_metered(Exec& c, Breakpoint& b);
void leave_metered(Process& p, Term before);

}  // namespace wb
