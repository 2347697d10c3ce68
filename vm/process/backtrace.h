// A process as text, in the words of BEAM's dumps, which tools take apart: its stack for
// process_info(P, backtrace), and the whole `=proc` block for system_info(procs) and process_dump.
//
// Addresses are those of this machine's code and stack. A function's address counts from its
// header, as on BEAM.
#pragma once

#include <string>

#include "vm/process/process.h"

namespace wb {

class CodeTable;

/// Where a process is when its stack is looked at.
struct ExecutionPoint {
  const Word* pc;     ///< in a module's code, or nullptr: not known
  const Export* bif;  ///< that it has called there, or nullptr
  const char* state;  ///< "Running", "Waiting" ...
};
/// Of a process that runs and is in `bif`.
ExecutionPoint in_bif(const Process& p, const Export* bif);
/// Of one that is about to enter a function that it has called: the caller's place.
ExecutionPoint in_called(const Process& p);

/// "Program counter: ..." and the stack. Empty: the process is sensitive.
std::string backtrace_text(Process& p, const ExecutionPoint& at);
/// Of such a process one learns neither its messages nor its dictionary nor its stack.
bool is_sensitive(const Process& p);
/// All that it takes, as process_info(P, memory) says it.
size_t process_bytes(const Process& p);
/// What its first lines say, which never change: anybody can ask for them.
std::string process_heading(const Process& p, const char* state);
/// What an address of code is in: "lists:map/2 + 48".
std::string place_of(const CodeTable& code, const Word* pc);
/// "=proc:<0.9.0>" with sizes, relations and where it is, but nothing of what it holds.
std::string process_summary(Process& p, const ExecutionPoint& at);
/// "=proc:<0.9.0>" and all that follows.
std::string process_dump(Process& p, const ExecutionPoint& at);

}  // namespace wb
