// The end of a process.
#pragma once

#include "vm/process/exec.h"

namespace wb {

/// `normal`, `shutdown` or {shutdown, _}: nobody has to look into it.
bool is_orderly(Term reason);

/// Ends the running process with `reason` (a term in its heap, or immediate). `trace`: as
/// VmHooks::ended_abnormally.
void exit_process(Exec& c, Term reason, Term trace = kNone);

/// Frees a process that still exists when its VM ends. Nothing runs any more.
void abandon_process(Process& p);

}  // namespace wb
