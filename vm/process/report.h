// What the VM itself says of a process that crashed.
#pragma once

#include <string>

#include "vm/process/process.h"

namespace wb {

/// "Error in process <0.9.0> with exit value: ..." as BEAM's emulator logs it: to the process
/// registered as `logger` if there is one, else to standard error.
void report_crash(Process& p, Term exit_value);

/// A process that has a tracer is to get another one.
void report_second_tracer(Process& caller);

/// A port was sent what are no bytes.
void report_bad_port_data(Process& p, const std::string& port);

/// `message` was sent to a pid or port that this node had before it was started anew.
void report_old_incarnation(Process& from, Term to, Term message);

/// A connection to `node`, whose flags lack what is mandatory, was to be begun.
void report_incapable_node(Process& p, Term node);

/// The machine itself says `text`: what came over a connection makes no sense, say. An error, or a
/// warning.
void report_text(Vm& vm, bool error, const std::string& text);
/// spawn_process() has answered kSystemLimit: that there is no process left, if that is why.
Term report_no_process(Vm& vm);

/// "maximum heap size reached": it would be `words`. In the middle of a collection.
void report_max_heap(Process& p, size_t words);

}  // namespace wb
