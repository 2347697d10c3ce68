// The end of a process.
#pragma once

#include "vm/interp/exec.h"

namespace wb {

/// Ends the running process with `reason` (a term in its heap, or immediate).
void exit_process(Exec& c, Term reason);
/// Ends it because of an exception nobody caught; reports errors and throws.
void die_uncaught(Exec& c, Term error_class, Term reason, Term raw_trace);

/// Frees a process that still exists when its VM ends. Nothing runs any more.
void abandon_process(Process& p);

}  // namespace wb
