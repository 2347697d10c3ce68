// Raising exceptions from slow operations (errors.cc has the essay).
#pragma once

#include "vm/interp/exec.h"

namespace wb {

struct Module;

/// The instruction at `pc` raises class:reason. Returns the handler to continue at, or the place
/// where a process without one ends.
const Word* raise_at(Exec& c, const Word* pc, Term error_class, Term reason);
inline const Word* raise_error(Exec& c, const Word* pc, Term reason) {
  return raise_at(c, pc, am::error, reason);
}
/// BIF `e` called at `pc` (nullptr: from a frame below) returned `fault`; its arguments are
/// args[0..).
const Word* raise_bif(Exec& c, const Word* pc, const Export* e, const Term* args, Term fault);
/// The function of header `entry` has no matching clause; arguments in x.
const Word* raise_function_clause(Exec& c, const Word* entry);
/// `M:F(Args)` does not exist.
const Word* raise_undef(Exec& c, const Word* pc, Term module, Term function, Term args);
/// Fun `f` of those arguments has no code.
const Word* raise_undef_fun(Exec& c, const Word* pc, Term f, Term args);
/// `reason` at `pc` with an error_info map in its frame.
const Word* raise_with_info(Exec& c, const Word* pc, Term reason, Term info);
/// Goes on with an exception whose raw trace exists.
const Word* continue_raise(Exec& c, Term error_class, Term reason, Term raw_trace);

/// The list that a raw trace stands for.
Term build_stacktrace(Exec& c, Term raw_trace);
/// Words that build_stacktrace() takes, for who can make room before.
size_t stacktrace_words(Term raw_trace);
/// A raw trace around a list that the program made.
Term wrap_stacktrace(Exec& c, Term error_class, Term list);
Term raw_trace_class(Term raw_trace);
/// The same trace for an exception of that class.
Term raw_trace_as(Exec& c, Term raw_trace, Term error_class);

/// {M,F,A,Location} of an address in loaded code (nil if it is not).
Term frame_of(Vm& vm, Heap& h, const Word* pc);
/// The current stack of a suspended process as a list of frames, at most `depth`.
Term stack_frames(Vm& vm, Heap& h, const Word* pc, const Term* e, const Term* base, int depth);

/// A list of x[0..n).
Term argument_list(Heap& h, const Term* args, uint32_t n);

}  // namespace wb
