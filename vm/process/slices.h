// What the begin and the end of a slice mean to a traced process.
#pragma once

#include "vm/core/vm.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// The events `in` and `out`.
constexpr uint32_t kWhereItRuns = traced::running | traced::running_procs;
/// `call`: for call_time, call_memory.
constexpr uint32_t kSchedulingFlags = kWhereItRuns | traced::call;

WB_INLINE void trace_begin_of_slice(Process& p) {
  if (is_traced(p, kSchedulingFlags)) p.vm().hooks->scheduled_in(p, nullptr);
}
WB_INLINE void trace_end_of_slice(Process& p) {
  if (is_traced(p, kSchedulingFlags)) p.vm().hooks->scheduled_out(p);
}

}  // namespace wb
