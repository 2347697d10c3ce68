// The end of a process.
#pragma once

#include "vm/process/exec.h"

namespace wb {

/// Ends the running process with `reason` (a term in its heap, or immediate).
void exit_process(Exec& c, Term reason);

/// Frees a process that still exists when its VM ends. Nothing runs any more.
void abandon_process(Process& p);

}  // namespace wb
