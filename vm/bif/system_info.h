// erlang:system_info/1, for the BIFs that answer with the same facts.
#pragma once

#include "term/heap.h"

namespace wb {

class Process;
class Vm;

/// Items that need no heap: numbers and atoms. kNone: not one of those.
Term system_info_item(Vm& vm, Term item);
/// Items of the machine itself, its version, its build, as `p` sees it. kNone: not one of those.
Term machine_info(Process& p, Term item);
/// What memory is used for: allocated_areas, and {memory_internal, Ref, Allocators} which
/// sends it to `p`.
Term allocated_areas(Vm& vm, Heap& h);
void send_memory_use(Process& p, Term ref, Term wanted);
/// What OTP's tools ask of allocators (allocators.cc): alloc_util_allocators, allocator,
/// {allocator, A} and {allocator_sizes, A}, of one or a list.
Term allocator_kinds(Heap& h);
Term allocator_settings(Heap& h);
Term allocator_information(Process& p, Term which, bool sizes_only);

}  // namespace wb
