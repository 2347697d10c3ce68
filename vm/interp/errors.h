// Raising exceptions from slow operations (errors.cc has the essay).
#pragma once

#include "vm/process/exec.h"
#include "vm/process/stack_trace.h"

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
/// The native function in the place of the one at `entry` returned `fault`; its arguments are in x.
const Word* raise_native(Exec& c, const Word* entry, Term fault);
/// The same of an instruction, whose label to fail to is `fail` (0: it raises): whoever has ended
/// meanwhile has not failed.
const Word* fail_or_raise(Exec& c, const Word* I, Word fail, const Export* e, const Term* args,
                          Term fault);
/// The same of erlang:name/arity, which is looked up only if it raises.
const Word* fail_or_raise(Exec& c, const Word* I, Word fail, Term name, uint32_t arity,
                          const Term* args, Term fault);
/// The function of header `entry` has no matching clause; arguments in x.
const Word* raise_function_clause(Exec& c, const Word* entry);
/// `M:F(Args)` does not exist.
const Word* raise_undef(Exec& c, const Word* pc, Term module, Term function, Term args);
/// Fun `f` of those arguments has no code.
const Word* raise_undef_fun(Exec& c, const Word* pc, Term f, Term args);
/// `reason` at `pc` with an error_info map in its frame.
const Word* raise_with_info(Exec& c, const Word* pc, Term reason, Term info);
/// Ends the process because of an exception nobody caught; reports errors and throws.
void die_uncaught(Exec& c, Term error_class, Term reason, Term raw_trace);
/// Goes on with an exception whose raw trace exists.
const Word* continue_raise(Exec& c, Term error_class, Term reason, Term raw_trace);

}  // namespace wb
