// The end of a process.
#pragma once

#include "vm/process/exec.h"

namespace wb {

/// `normal`, `shutdown` or {shutdown, _}: nobody has to look into it.
bool is_orderly(Term reason);

/// Ends the running process with `reason` (a term in its heap, or immediate). `raw_trace`: of the
/// exception that nobody caught (stack_trace.h), nil if nothing is known, kNone if its stack shows
/// where it was.
void exit_process(Exec& c, Term reason, Term raw_trace = kNone);

/// Frees a process that still exists when its VM ends. Nothing runs any more.
void abandon_process(Process& p);

}  // namespace wb
