// What programs ask and say of processors and of how schedulers are bound to them.
#pragma once

#include "vm/process/process.h"

namespace wb {

/// system_info({cpu_topology, Which}); OTP's erlang module makes the term that programs know.
Term cpu_topology(Process& p, Term which);
/// The same as that module wants it: [{cpu, Node, Processor, ProcessorNode, Core, Thread, Logical}]
/// or undefined; kBadarg: there is no such `which`.
Term internal_cpu_topology(Process& p, Term which);
/// system_flag(cpu_topology, _), and as that module says it.
Term set_cpu_topology(Process& p, Term topology);
Term set_internal_cpu_topology(Process& p, Term topology);

Term scheduler_bind_type(Vm& vm);
Term set_scheduler_bind_type(Process& p, Term type);
Term scheduler_bindings(Vm& vm, Heap& h);

}  // namespace wb
