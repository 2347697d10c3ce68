// Links and monitors as erts_debug:get_internal_state shows them.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// [{erl_link, process, Pid, linked | unlinking, Id}]
Term link_list(Process& p, Heap& h);
/// [{erl_monitor, Type, origin | target, Ref, Process, Name | []}]
Term monitor_list(Process& p, Heap& h);

}  // namespace wb
