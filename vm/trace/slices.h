// What the begin and the end of a slice mean to a traced process.
#pragma once

#include "vm/trace/calls.h"
#include "vm/trace/events.h"

namespace wb {

/// `call`: for call_time.
constexpr uint32_t kSchedulingFlags = traced::running | traced::running_procs | traced::call;

WB_INLINE void trace_begin_of_slice(Process& p) {
  if (is_traced(p, kSchedulingFlags)) trace_in(p), start_call_time(p);
}
WB_INLINE void trace_end_of_slice(Process& p) {
  if (is_traced(p, kSchedulingFlags)) stop_call_time(p), trace_out(p);
}

}  // namespace wb
