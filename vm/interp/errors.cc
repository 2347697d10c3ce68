// Exceptions: from the failing instruction to the handler, with BEAM's stack traces.
//
// Raising costs no text: the *raw trace* is {Class, Head, Addresses}, where Addresses is a binary
// of up to eight code addresses (the failing instruction, then return addresses, repeated ones
// once) and Head a list of frames that have no address ({M,F,Args,Info} of a failed BIF), or
// {Arguments, ErrorInfo} that the frame of the first address shows (of erlang:error/2,3 and
// function_clause; false and [] if there are none). build_stacktrace makes the list a program sees.
// If Addresses is nil, Head is already the whole list (erlang:raise/3).
//
// Finding the handler: a catch or try keeps its handler's address in a y register as a catch tag,
// so walking the stack words from E upwards finds the innermost one; return addresses (tag 8) on
// the way tell where each frame begins. The handler is entered with x0 = kNone, x1 = class, x2 =
// reason, x3 = raw trace; catch_end and try_case bring them into place.
#include "vm/interp/errors.h"

#include "loader/code.h"
#include "loader/code_server.h"
#include "term/binary.h"
#include "term/bit_syntax.h"
#include "term/map.h"
#include "vm/bif/bif.h"
#include "vm/process/exit.h"
#include "vm/settings.h"
#include "vm/trace/calls.h"
#include "vm/trace/frames.h"
#include "vm/vm.h"

namespace wb {

/// Code may jump to its function_clause while an argument is a match context: no program sees one.
static Term shown(Heap& h, Term t) {
  return is_kind(t, Kind::match_ctx) ? match_tail(h, match_context(t)) : t;
}
Term argument_list(Heap& h, const Term* args, uint32_t n) {
  Term list = kNil;
  for (uint32_t k = n; k-- > 0;) list = cons(h, shown(h, args[k]), list);
  return list;
}

// --- frames --------------------------------------------------------------------------------------
/// Makes the frames of one trace, which are often of one module.
class FrameMaker {
 public:
  FrameMaker(Vm& vm, Heap& h) : vm_(vm), heap_(h) {}
  /// Of the code at `pc`; kNil: nobody's. `args`, `error_info`: kNone if not to be shown.
  Term frame(const Word* pc, Term args = kNone, Term error_info = kNone) {
    if (!module_ || !module_->contains(pc)) module_ = vm_.code->module_at(pc);
    const Module::Function* f = module_ ? module_->function_at(pc) : nullptr;
    if (!f) return builtin_frame(pc);
    Term arity = is_value(args) ? args : make_small(f->arity);
    return tuple(heap_, module_->name, f->name, arity, places(pc, error_info));
  }

 private:
  Term builtin_frame(const Word* pc) {
    const Export* e = vm_.code->builtin_at(pc);
    return e ? tuple(heap_, e->module, e->function, make_small(e->arity), kNil) : kNil;
  }
  Term places(const Word* pc, Term error_info) {
    Term list = kNil;
    if (is_value(error_info)) {
      list = cons(heap_, tuple(heap_, am::error_info, error_info), list);
    }
    const SourceLocation where = module_->location(pc);
    if (!where.line) return list;
    list = cons(heap_, tuple(heap_, am::line, make_small(where.line)), list);
    return cons(heap_, where.file_pair, list);
  }

  Vm& vm_;
  Heap& heap_;
  const Module* module_ = nullptr;  ///< of the last frame
};

Term frame_of(Vm& vm, Heap& h, const Word* pc) { return FrameMaker(vm, h).frame(pc); }

/// Up to `room` addresses: `pc` (if any), then return addresses from the stack.
static size_t gather(const CodeServer& code, const Word* pc, const Term* e, const Term* base,
                     const Word** out, size_t room) {
  size_t n = 0;
  if (pc && n < room) out[n++] = pc;
  Word previous = 0;
  for (; e < base && n < room; ++e) {
    if (!is_code(*e) || *e == previous || code.is_machine_code(*e)) continue;
    previous = *e;
    out[n++] = reinterpret_cast<const Word*>(*e) - 1;  // inside the call
  }
  return n;
}
static Term addresses_of(Exec& c, const Word* pc, const Term* e, size_t room) {
  const Word* found[Settings::kMostFrames];
  size_t n = gather(*c.vm->code, pc, e, c.p->heap.stack_base(), found, room);
  return make_binary(c.p->heap, found, n * sizeof found[0]);
}
Term stack_frames(Vm& vm, Heap& h, const Word* pc, const Term* e, const Term* base, int depth) {
  std::vector<const Word*> found(static_cast<size_t>(depth));
  size_t n = gather(*vm.code, pc, e, base, found.data(), found.size());
  ListBuilder list(h);
  FrameMaker maker(vm, h);
  for (size_t k = 0; k < n; ++k) {
    Term frame = maker.frame(found[k]);
    if (is_boxed(frame)) list.add(frame);
  }
  return list.finish();
}

// --- raw traces ----------------------------------------------------------------------------------
/// `e`: where the frames below the head begin.
static Term make_raw(Exec& c, Term error_class, Term head, const Word* pc, const Term* e) {
  size_t used = is_cons(head) ? 1 : 0;
  size_t depth = c.vm->settings->exception_depth();
  Term addresses = addresses_of(c, pc, e, depth > used ? depth - used : 0);
  return tuple(c.p->heap, error_class, head, addresses);
}
static Term make_raw(Exec& c, Term error_class, Term head, const Word* pc) {
  return make_raw(c, error_class, head, pc, c.e());
}
/// What the frame of the first address shows.
static Term shown_head(Heap& h, Term args, Term info) {
  return tuple(h, is_value(args) ? args : am::false_, is_value(info) ? info : kNil);
}
Term wrap_stacktrace(Exec& c, Term error_class, Term list) {
  return tuple(c.p->heap, error_class, list, kNil);
}
/// Honest code only hands back what it got here; a hostile module, any tuple.
static bool is_raw(Term t) {
  if (!is_tuple_of(t, 3)) return false;
  Term error_class = tuple_elements(t)[0], addresses = tuple_elements(t)[2];
  return (error_class == am::error || error_class == am::exit || error_class == am::throw_) &&
         (is_nil(addresses) || is_bitstring(addresses));
}
Term raw_trace_class(Term raw) { return is_raw(raw) ? tuple_elements(raw)[0] : am::error; }

Term raw_trace_as(Exec& c, Term raw, Term error_class) {
  if (!is_raw(raw) || tuple_elements(raw)[0] == error_class) return raw;
  return tuple(c.p->heap, error_class, tuple_elements(raw)[1], tuple_elements(raw)[2]);
}

size_t stacktrace_words(Term raw) {
  if (!is_raw(raw) || is_nil(tuple_elements(raw)[2])) return 0;
  constexpr size_t kPerFrame = 2 + 5 + 2 + 2 + 3;  // cell, {M, F, A, Info}, two cells, {line, L}
  size_t head = is_cons(tuple_elements(raw)[1]) ? 2 : 0;
  return head + kPerFrame * (bits_of(tuple_elements(raw)[2]).size / 64);
}

Term build_stacktrace(Exec& c, Term raw) {
  if (!is_raw(raw)) return kNil;
  Term head_list = tuple_elements(raw)[1], addresses = tuple_elements(raw)[2];
  if (is_nil(addresses)) return head_list;
  Heap& h = c.p->heap;
  ListBuilder list(h);
  Term args = kNone, info = kNone;  // of the next frame
  if (is_tuple_of(head_list, 2)) {
    const Term* shown = tuple_elements(head_list);
    if (is_list(shown[0])) args = shown[0];
    if (is_map(shown[1])) info = shown[1];
  }
  for (; is_cons(head_list); head_list = tail(head_list)) list.add(head(head_list));
  FrameMaker maker(*c.vm, h);
  Bits bits = bits_of(addresses);
  for (size_t k = 0; k + 8 <= bits.size / 8; k += 8, args = info = kNone) {
    const Word* pc;
    memcpy(&pc, bits.bytes + k, sizeof pc);
    Term frame = maker.frame(pc, args, info);
    if (is_boxed(frame)) list.add(frame);
  }
  return list.finish();
}

// --- finding the handler -------------------------------------------------------------------------
const Word* continue_raise(Exec& c, Term error_class, Term reason, Term raw) {
  Term* base = c.p->heap.stack_base();
  Term* frame = c.e();
  bool traced = false;  // frames of tracing were passed
  for (Term* e = frame; e < base; ++e) {
    if (is_code(*e)) {
      frame = e + 1;
      traced |= trace_frame(*c.vm->code, *e) != TraceFrame::none;
    } else if (is_catch(*e)) {
      if (WB_UNLIKELY(traced)) leave_by_exception(c, e, catch_handler(*e), error_class, reason);
      c.set_e(frame);
      c.x[0] = kNone;
      c.x[1] = error_class;
      c.x[2] = reason;
      c.x[3] = raw;
      return catch_handler(*e);
    }
  }
  if (WB_UNLIKELY(traced)) {
    bool nocatch = error_class == am::throw_;
    Term why = nocatch ? tuple(c.p->heap, am::nocatch, reason) : reason;
    leave_by_exception(c, base, nullptr, nocatch ? am::error : error_class, why);
  }
  die_uncaught(c, error_class, reason, raw);
  return leave_dead(c);
}

static void clear_failure(Exec& c) {
  c.fail_class = c.fail_reason = c.fail_cause = c.fail_trace = c.fail_args = c.fail_info = kNone;
  c.fail_by_program = false;
}

const Word* raise_at(Exec& c, const Word* pc, Term error_class, Term reason) {
  return continue_raise(c, error_class, reason, make_raw(c, error_class, kNil, pc));
}

// --- failures of BIFs ----------------------------------------------------------------------------
static Term error_module(Term module) {
  static constexpr Term stdlib[] = {am::lists, am::maps, am::ets,    am::binary, am::unicode,
                                    am::math,  am::re,   am::string, am::io};
  for (Term m : stdlib) {
    if (m == module) return am::erl_stdlib_errors;
  }
  return module == am::os ? am::erl_kernel_errors : am::erl_erts_errors;
}
/// OTP's NIFs fail without error_info, and so do what we have in their place; erts_debug does, too.
static bool is_nif_module(Term module) {
  std::string_view name = atom_text(module);
  return name == "zlib" || name == "asn1rt_nif" || name == "erts_debug" ||
         name.rfind("prim_", 0) == 0;
}
static Term error_info_map(Heap& h, Term module, Term cause) {
  Term pairs[4] = {am::module, error_module(module), am::cause, cause};
  return map_from_pairs(h, pairs, is_value(cause) ? 2 : 1);
}
static Term fault_reason(Term fault) {
  switch (fault) {
    case kBadarith:
      return am::badarith;
    case kSystemLimit:
      return am::system_limit;
    case kNotSupported:
      return am::not_supported;
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
    return continue_raise(c, error_class, reason, make_raw(c, error_class, head, pc, e));
  }
  return raise_at(c, pc, error_class, reason);
}

const Word* raise_bif(Exec& c, const Word* pc, const Export* e, const Term* args, Term fault) {
  if (fault == kRaised && c.fail_by_program) return raise_by_program(c, pc);
  if (fault == kCancelled) return c.p->exiting ? leave_dead(c) : leave_yielding(c, c.pc, 0);
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
  return continue_raise(c, error_class, reason, make_raw(c, error_class, cons(h, frame, kNil), pc));
}

const Word* raise_function_clause(Exec& c, const Word* entry) {
  Heap& h = c.p->heap;
  Term args = argument_list(h, c.x, entry_arity(entry));
  return continue_raise(c, am::error, am::function_clause,
                        make_raw(c, am::error, shown_head(h, args, kNone), entry - kHeaderWords));
}

static const Word* raise_undef_in(Exec& c, const Word* pc, Term frame) {
  Term frames = cons(c.p->heap, frame, kNil);
  return continue_raise(c, am::error, am::undef, make_raw(c, am::error, frames, pc));
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
                        make_raw(c, am::error, shown_head(h, kNone, info), pc));
}

}  // namespace wb
