// What system_info answers as text, and what the break menu and crash dumps show: in the words of
// BEAM's dumps, which tools take apart.
#pragma once

#include <string>

namespace wb {

class Process;
class Vm;

/// "=memory" and what erlang:memory/0 says.
std::string memory_report(Vm& vm);
/// What the machine's tables take. Of allocators there is nothing to be said: memory is malloc's.
std::string info_report(Vm& vm);
/// Modules, with the sizes of their current and old versions.
std::string code_report(Vm& vm);

/// All processes. `self`: who asks, or null: all stand still (vm/process/standstill.h), but for
/// those that could not be stopped. Of one that runs only what never changes is known.
std::string process_report(Vm& vm, Process* self);
/// The same of one while all stand still.
std::string stopped_process_report(Process& p);

}  // namespace wb
