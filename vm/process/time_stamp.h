// Time stamps of trace messages.
#pragma once

#include "term/heap.h"

namespace wb {

class Vm;

/// The one that `flags` (traced::timestamp and its like) ask for, or kNone.
Term trace_timestamp(Vm& vm, Heap& h, uint32_t flags);

}  // namespace wb
