// What the VM itself says of a process that crashed.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// "Error in process <0.9.0> with exit value: ..." as BEAM's emulator logs it: to the process
/// registered as `logger` if there is one, else to standard error.
void report_crash(Process& p, Term exit_value);

/// A process that has a tracer is to get another one.
void report_second_tracer(Process& caller);

/// "maximum heap size reached".
void report_max_heap(Process& p);

}  // namespace wb
