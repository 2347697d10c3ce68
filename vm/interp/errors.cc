// Exceptions: from the failing instruction to the handler (raw traces: vm/process/stack_trace.h).
//
// Finding the handler: a catch or try keeps its handler's address in a y register as a catch tag,
// so walking the stack words from E upwards finds the innermost one; return addresses (tag 8) on
// the way tell where each frame begins. The handler is entered with x0 = kNone, x1 = class, x2 =
// reason, x3 = raw trace; catch_end and try_case bring them into place.
#include "vm/interp/errors.h"

#include "loader/code.h"
#include "loader/code_table.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/policy_atoms.h"
#include "vm/core/vm.h"
#include "vm/process/exit.h"
#include "vm/process/report.h"
#include "vm/process/signal.h"
#include "vm/process/trace_frames.h"

namespace wb {

// --- finding the handler -------------------------------------------------------------------------
void die_uncaught(Exec& c, Term error_class, Term reason, Term raw_trace) {
  Heap& h = c.p->heap;
  if (error_class == am::throw_) reason = tuple(h, am::nocatch, reason);
  if (error_class != am::exit) {
    reason = tuple(h, reason, build_stacktrace(c, raw_trace));
    report_crash(*c.p, reason);
  }
  exit_process(c, reason, raw_trace);
}

const Word* continue_raise(Exec& c, Term error_class, Term reason, Term raw) {
  // A reason or trace may show a message that is still being looked at.
  if (WB_UNLIKELY(c.p->peeked)) adopt_peeked(*c.p);
  Term* base = c.p->heap.stack_base();
  Term* frame = c.e();
  bool traced = false;  // frames of tracing were passed
  for (Term* e = frame; e < base; ++e) {
    if (is_code(*e)) {
      frame = e + 1;
      traced |= trace_frame(*c.vm->code, *e) != TraceFrame::none;
    } else if (is_catch(*e)) {
      if (WB_UNLIKELY(traced))
        c.vm->hooks->unwind_trace_frames(c, e, catch_handler(*e), error_class, reason);
      const Word* handler = catch_handler(*e);
      c.set_e(frame);
      c.x[0] = kNil;
      c.x[1] = error_class;
      c.x[2] = reason;
      c.x[3] = raw;
      // A loop may have no other safe point than that of what it catches.
      if (!safe_point(c, 0, 4)) return leave_dying(c);
      c.x[0] = kNone;
      return handler;
    }
  }
  if (WB_UNLIKELY(traced)) {
    bool nocatch = error_class == am::throw_;
    Term why = nocatch ? tuple(c.p->heap, am::nocatch, reason) : reason;
    c.vm->hooks->unwind_trace_frames(c, base, nullptr, nocatch ? am::error : error_class, why);
  }
  die_uncaught(c, error_class, reason, raw);
  return leave_dead(c);
}

static void clear_failure(Exec& c) {
  c.fail_class = c.fail_reason = c.fail_cause = c.fail_trace = c.fail_args = c.fail_info = kNone;
  c.fail_by_program = false;
}

const Word* raise_at(Exec& c, const Word* pc, Term error_class, Term reason) {
  return continue_raise(c, error_class, reason, make_raw_trace(c, error_class, kNil, pc));
}

// --- failures of BIFs ----------------------------------------------------------------------------
static Term error_module(Term module) {
  static constexpr Term stdlib[] = {am::lists, am::maps, am::ets,    am::binary, am::unicode,
                                    am::math,  am::re,   am::string, am::io};
  for (Term m : stdlib) {
    if (m == module) return am::erl_stdlib_errors;
  }
  return module == am::os || module == am::code ? am::erl_kernel_errors : am::erl_erts_errors;
}
/// OTP's NIFs fail without error_info, and so do what we have in their place; erts_debug and
/// records do, too.
static bool is_nif_module(Term module) {
  std::string_view name = atom_text(module);
  return name == "zlib" || name == "asn1rt_nif" || name == "erts_debug" || name == "records" ||
         name.rfind("prim_", 0) == 0;
}
/// What is wrong with options that OTP does not know (option_faults.def).
static bool is_own_cause(Term cause) {
  switch (cause) {
#define OPTION_FAULT(name, text) case am::name:
#include "vm/process/option_faults.def"
    return true;
    default:
      return false;
  }
}
static Term error_info_map(Heap& h, Term module, Term cause) {
  const Term formatter = is_own_cause(cause) ? am::whitebeam_errors : error_module(module);
  Term pairs[4] = {am::module, formatter, am::cause, cause};
  return map_from_pairs(h, pairs, is_value(cause) ? 2 : 1);
}
static Term fault_reason(Term fault) {
  switch (fault) {
    case kBadarith:
      return am::badarith;
    case kSystemLimit:
      return am::system_limit;
    case kUndef:
      return am::undef;
    default:
      return am::badarg;
  }
}

/// erlang:error/1,2,3, exit/1, throw/1, raise/3: the exception is the program's own.
static const Word* raise_by_program(Exec& c, const Word* pc) {
  Term error_class = c.fail_class, reason = c.fail_reason, list = c.fail_trace;
  Term args = c.fail_args, info = c.fail_info;
  clear_failure(c);
  Heap& h = c.p->heap;
  if (is_value(list)) {
    return continue_raise(c, error_class, reason, wrap_stacktrace(c, error_class, list));
  }
  if (is_value(args) || is_value(info)) {
    // Called through apply: the frame that shows them is the caller's.
    const Term *e = c.e(), *base = c.p->heap.stack_base();
    for (; !pc && e < base; ++e) {
      if (is_code(*e) && !c.vm->code->is_machine_code(*e))
        pc = reinterpret_cast<const Word*>(*e) - 1;
    }
    Term head = pc ? shown_head(h, args, info) : kNil;
    return continue_raise(c, error_class, reason, make_raw_trace(c, error_class, head, pc, e));
  }
  return raise_at(c, pc, error_class, reason);
}

const Word* raise_bif(Exec& c, const Word* pc, const Export* e, const Term* args, Term fault) {
  if (c.p->exiting) return leave_dead(c);
  if (fault == kCancelled) return leave_yielding(c, c.pc, 0);  // the machine stops
  if (fault == kRaised && c.fail_by_program) return raise_by_program(c, pc);
  Heap& h = c.p->heap;
  Term error_class = fault == kRaised ? c.fail_class : am::error;
  Term reason = fault == kRaised ? c.fail_reason : fault_reason(fault);
  Term location = kNil;
  if (!is_nif_module(e->module)) {
    Term info = error_info_map(h, e->module, c.fail_cause);
    location = cons(h, tuple(h, am::error_info, info), kNil);
  }
  clear_failure(c);
  Term frame = tuple(h, e->module, e->function, argument_list(h, args, e->arity), location);
  return continue_raise(c, error_class, reason,
                        make_raw_trace(c, error_class, cons(h, frame, kNil), pc));
}

const Word* raise_native(Exec& c, const Word* entry, Term fault) {
  if (fault == kCancelled) return leave_yielding(c, c.pc, 0);  // the machine stops
  Heap& h = c.p->heap;
  Term error_class = fault == kRaised ? c.fail_class : am::error;
  Term reason = fault == kRaised ? c.fail_reason : fault_reason(fault);
  clear_failure(c);
  Term args = argument_list(h, c.x, entry_arity(entry));
  Term frame = tuple(h, entry_module(entry), entry_function(entry), args, kNil);
  return continue_raise(c, error_class, reason,
                        make_raw_trace(c, error_class, cons(h, frame, kNil), nullptr));
}

static bool goes_on(const Exec& c, Word fail, Term fault) {
  return fail && fault != kCancelled && !c.p->exiting;
}
const Word* fail_or_raise(Exec& c, const Word* I, Word fail, const Export* e, const Term* args,
                          Term fault) {
  if (goes_on(c, fail, fault)) return reinterpret_cast<const Word*>(fail);
  return raise_bif(c, I, e, args, fault);
}
const Word* fail_or_raise(Exec& c, const Word* I, Word fail, Term name, uint32_t arity,
                          const Term* args, Term fault) {
  if (goes_on(c, fail, fault)) return reinterpret_cast<const Word*>(fail);
  return raise_bif(c, I, c.vm->code->export_entry(am::erlang, name, arity), args, fault);
}

const Word* raise_function_clause(Exec& c, const Word* entry) {
  Heap& h = c.p->heap;
  Term args = argument_list(h, c.x, entry_arity(entry));
  return continue_raise(
      c, am::error, am::function_clause,
      make_raw_trace(c, am::error, shown_head(h, args, kNone), entry - kHeaderWords));
}

static const Word* raise_undef_in(Exec& c, const Word* pc, Term frame) {
  Term frames = cons(c.p->heap, frame, kNil);
  return continue_raise(c, am::error, am::undef, make_raw_trace(c, am::error, frames, pc));
}
const Word* raise_undef(Exec& c, const Word* pc, Term module, Term function, Term args) {
  return raise_undef_in(c, pc, tuple(c.p->heap, module, function, args, kNil));
}
const Word* raise_undef_fun(Exec& c, const Word* pc, Term f, Term args) {
  return raise_undef_in(c, pc, tuple(c.p->heap, f, args, kNil));
}

const Word* raise_with_info(Exec& c, const Word* pc, Term reason, Term info) {
  Heap& h = c.p->heap;
  return continue_raise(c, am::error, reason,
                        make_raw_trace(c, am::error, shown_head(h, kNone, info), pc));
}

}  // namespace wb
