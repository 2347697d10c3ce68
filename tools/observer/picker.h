// Which machine, where several run: all of them side by side, in the terminal.
#pragma once

#include <sys/types.h>

#include <string>

#include "tools/observer/machine_list.h"

namespace wb {

/// The one that the user opens; 0: none, or why not in *error. `before`: who was opened last.
pid_t pick_machine(MachineList& list, pid_t before, std::string* error);

}  // namespace wb
