// What tracing leaves on a process' stack: frames between a traced function and its caller.
//
//   E -> [return_trace]       number of the breakpoint and a flag, tracer      sends return_from
//        [return_to_trace]                                                     sends return_to
//        [return_metered]     the functions that the meters of calls ran for
//        [address in the caller] ...
//
// The first word of each is a return address in the machine's own code (CodeTable), so a traced
// function returns there, its value in x0; the instruction at that address does what is to be done,
// drops the frame and returns again. A tail call leaves the frames of its caller where they are:
// they tell of the return when it comes. The other words are immediate terms, so the collector and
// all others that walk a stack see a frame as any other, of code that belongs to no module.
//
// An exception that passes such frames on its way to a handler does for each of them what belongs
// to an exception (unwind_trace_frames).
#pragma once

#include "loader/code_table.h"
#include "vm/process/exec.h"

namespace wb {

enum class TraceFrame : uint8_t { none, return_trace, return_to, return_metered };

inline TraceFrame trace_frame(const CodeTable& code, Word w) {
  const Word* at = reinterpret_cast<const Word*>(w);
  if (at == code.return_trace) return TraceFrame::return_trace;
  if (at == code.return_to_trace) return TraceFrame::return_to;
  if (at == code.return_metered) return TraceFrame::return_metered;
  return TraceFrame::none;
}
/// Words of a frame, its address included.
constexpr size_t words_of(TraceFrame f) {
  return f == TraceFrame::return_trace ? 3 : f == TraceFrame::return_metered ? 2 : 1;
}
/// The return address below all frames of tracing at `e`; it points to it.
inline const Term* below_trace_frames(const CodeTable& code, const Term* e) {
  for (TraceFrame f; (f = trace_frame(code, *e)) != TraceFrame::none;) e += words_of(f);
  return e;
}
/// Is there such a frame at the top of the stack, below nothing but frames of tracing?
inline bool has_trace_frame(const CodeTable& code, const Term* e, TraceFrame wanted) {
  for (TraceFrame f; (f = trace_frame(code, *e)) != TraceFrame::none; e += words_of(f)) {
    if (f == wanted) return true;
  }
  return false;
}

/// Room that a breakpoint may need for frames.
constexpr size_t kMostTraceFrameWords = 9;

}  // namespace wb
