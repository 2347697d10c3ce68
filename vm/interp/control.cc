// Calls, returns, funs, apply, jumps and multi-way branches.
//
// A call counts one reduction; when none is left the process is preempted *at the callee's entry*,
// where exactly its arguments are live.
#include <algorithm>
#include <utility>

#include "loader/code.h"
#include "loader/code_table.h"
#include "term/lists.h"
#include "term/number.h"
#include "term/order.h"
#include "vm/core/vm.h"
#include "vm/interp/bif_call.h"
#include "vm/interp/dynamic.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/interp/interpreter.h"
#include "vm/process/exit.h"
#include "vm/process/native.h"
#include "vm/process/saved_calls.h"
#include "vm/process/trace_flags.h"

namespace wb {

const Word* op_preempt(Exec& c, const Word* I) {
  if (c.vm->samples_hot) c.vm->hooks->sample_hot(c, I);
  return leave_yielding(c, I, entry_arity(I));
}

FAST_Z(jump) { WB_BRANCH(target); }
FAST_Z(call) {
  *--E = WB_ADDRESS(continuation);
  WB_ENTER_LABEL(entry);
}
FAST_Z(call_only) { WB_ENTER_LABEL(entry); }
FAST_Z(call_last) {
  WB_MOVE_E(WB_BYTES(slots));
  WB_ENTER_LABEL(entry);
}
static WB_INLINE Word* export_entry(Word e) {
  return reinterpret_cast<Export*>(e)->entry.load(std::memory_order_acquire);
}
FAST_Z(call_ext) {
  *--E = WB_ADDRESS(continuation);
  WB_ENTER(export_entry(WB_ADDRESS(function)));
}
FAST_Z(call_ext_only) { WB_ENTER(export_entry(WB_ADDRESS(function))); }
FAST_Z(call_ext_last) {
  WB_MOVE_E(WB_BYTES(slots));
  WB_ENTER(export_entry(WB_ADDRESS(function)));
}

// --- BIFs as calls -------------------------------------------------------------------------------
/// After a BIF that gave x[0]: collects if it piled up fragments or off-heap data, ends the slice
/// if it has yielded. Where to go on.
static WB_INLINE const Word* finish_bif(Exec& c, const Word* back) {
  if (WB_UNLIKELY(c.p->heap.wants_collection() || c.gc_stress) && !collect_garbage(c, 0, 1)) {
    return leave_dying(c);
  }
  // Nobody may see a process at one of the machine's own return addresses.
  if (WB_UNLIKELY(c.after_bif & Exec::kEndSlice) &&
      !c.vm->code->is_machine_code(reinterpret_cast<Word>(back))) {
    return leave_yielding(c, back, 1);
  }
  return back;
}
static const Word* enter_export(Exec& c, Export* target) {
  const Word* entry = target->entry.load(std::memory_order_acquire);
  if (--c.fc < 0) return leave_yielding(c, entry, entry_arity(entry));
  return entry;
}

/// The same for a BIF that only raises, of an apply instruction `pc` that ended its function: that
/// shows in the trace. No slice ends in between, in which it would have to be remembered; where the
/// exception is caught, the next call has no reductions left.
static const Word* enter_raising(Exec& c, Export* target, const Word* pc) {
  --c.fc;
  c.applied_by = pc;
  return target->entry.load(std::memory_order_acquire);
}

static void push_return(Exec& c, Word continuation) {
  c.set_e(c.e() - 1);
  *c.e() = continuation;
}
/// What is to be done when a BIF called by `I` has not simply given a value, or left garbage
/// behind.
static const Word* op_end_call_bif(Exec& c, const Word* I) {
  instr::end_call_bif in{I};
  auto* e = reinterpret_cast<Export*>(in.function());
  Term r = c.bif_result;
  if (is_value(r)) {
    c.x[0] = r;
    return finish_bif(c, reinterpret_cast<const Word*>(in.continuation()));
  }
  if (r == kTrap) {
    push_return(c, in.continuation());
    return enter_export(c, c.trap_target);
  }
  if (r == kYield) return leave_yielding(c, I, e->arity);
  if (c.p->exiting) return leave_dead(c);
  return raise_bif(c, I, e, c.x, r);
}
static WB_INLINE BifFn body_of(Word e) {
  return BifFn(reinterpret_cast<Export*>(e)->body.load(std::memory_order_relaxed));
}
FAST_Z(call_bif) {
  --FC;
  WB_SPILL();
  Term r = call_bif(*C, WB_LIST(handler_), body_of(WB_ADDRESS(function)), C->x);
  if (WB_UNLIKELY(!is_value(r) || C->p->heap.wants_collection() || C->after_bif)) {
    C->bif_result = r;
    WB_RELOAD();
    WB_FINISH(slow_handler<op_end_call_bif>);
  }
  x0 = r;  // nothing else is live
  FC = C->fc;
  HP = C->p->heap.top();
  E = C->e();
  WB_CONTINUE(continuation);
}
static const Word* return_from_stub(Exec& c) {
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  return back;
}
/// A BIF entered as a function (apply, funs, local calls): Export.
static const Word* op_bif_entry(Exec& c, const Word* I) {
  instr::bif_entry in{I};
  auto* e = reinterpret_cast<Export*>(in.function());
  const Word* applied_by = std::exchange(c.applied_by, nullptr);
  Term r = call_bif(c, I, body_of(in.function()), c.x);
  if (WB_LIKELY(is_value(r))) {
    c.x[0] = r;
    const Word* back = return_from_stub(c);
    return finish_bif(c, back);
  }
  if (r == kTrap) {  // it is traced
    if (applied_by) return enter_raising(c, c.trap_target, applied_by);
    return enter_export(c, c.trap_target);
  }
  if (r == kYield) return leave_yielding(c, I, e->arity);
  if (c.p->exiting) return leave_dead(c);
  return raise_bif(c, applied_by, e, c.x, r);
}

// --- code that is not there ----------------------------------------------------------------------
/// OTP's error_handler asks code_server, which loads the module and calls its on_load function
/// first; and who traces calls sees the error handler's.
static bool left_to_error_handler(Exec& c, const Export* e) {
  const CodeTable& code = *c.vm->code;
  if (code.waits_for_on_load(e->module)) return true;
  return WB_UNLIKELY(c.vm->hooks->traces_calls()) && code.find_module(e->module);
}
/// A machine that loads modules by itself has done for `handler` what OTP's error_handler would do.
static bool stands_in_for(const Exec& c, Term handler) {
  return handler == am::error_handler && c.vm->code->lazy_loading;
}
/// M:F with `arity` arguments in x: where to go when no loaded module exports it. Loads the module
/// from the code path if it was never loaded; else what OTP's error_handler does. Where OTP is
/// booted, error_handler itself decides.
static const Word* call_undefined(Exec& c, const Word* pc, Export* e) {
  if (Export* now = c.vm->code->resolve_undefined(e)) {
    return now->entry.load(std::memory_order_acquire);
  }
  Term args = argument_list(c.p->heap, c.x, e->arity);
  Term handler = c.p->error_handler();
  if (handler == am::error_handler && left_to_error_handler(c, e)) {
    c.x[0] = e->module, c.x[1] = e->function, c.x[2] = args;
    return enter_export(c, c.vm->code->export_entry(handler, am::undefined_function, 3));
  }
  Export* custom = c.vm->code->find_export(handler, am::undefined_function, 3);
  if (!stands_in_for(c, handler) && custom && custom->loaded) {
    c.x[0] = e->module, c.x[1] = e->function, c.x[2] = args;
    return enter_export(c, custom);
  }
  Export* fallback = c.vm->code->find_export(e->module, am::handle_undefined_function, 2);
  if (fallback && fallback->loaded) {
    c.x[0] = e->function, c.x[1] = args;
    return enter_export(c, fallback);
  }
  return raise_undef(c, pc, e->module, e->function, args);
}
static const Word* op_undefined_entry(Exec& c, const Word* I) {
  instr::undefined_entry in{I};
  auto* e = reinterpret_cast<Export*>(in.function());
  // On BEAM a function that no code names has no export to be called through.
  if (is_traced(*c.p, traced::saves_calls) && e->imported) save_call(*c.p, *e);
  return call_undefined(c, nullptr, e);
}
static const Word* op_func_info(Exec& c, const Word* I) {
  return raise_function_clause(c, I + kHeaderWords);
}

// --- funs ----------------------------------------------------------------------------------------
/// The code of fun `f` is just being purged: the process is suspended in the function of OTP's
/// purger that calls the fun again. Where that is not to be had, or the purge is over meanwhile,
/// the call is made again in the next slice.
static const Word* call_fun_later(Exec& c, Term f, uint32_t arity, Word continuation,
                                  uint64_t dealloc) {
  Term args = argument_list(c.p->heap, c.x, arity);
  c.set_e(c.e() + dealloc);
  if (continuation) push_return(c, continuation);
  Term module = reinterpret_cast<FunEntry*>(boxed_ptr(f)[1])->module;
  CodeTable& code = *c.vm->code;
  Export* pending = code.export_entry(am::erts_code_purger, intern("pending_purge_lambda"), 3);
  if (code.resolve_undefined(pending) && code.await_purge(module, c.p->id)) {
    ++c.p->suspend_count;
    c.x[0] = module, c.x[1] = f, c.x[2] = args;
    return leave_yielding(c, pending->entry.load(std::memory_order_acquire), 3);
  }
  c.x[0] = f, c.x[1] = args;
  Export* apply = c.vm->code->export_entry(am::erlang, am::apply, 2);
  return leave_yielding(c, apply->stub_entry(), 2);
}
static const Word* raise_badfun(Exec& c, const Word* pc, Term f, Word continuation) {
  if (continuation) push_return(c, continuation);
  return raise_error(c, pc, tuple(c.p->heap, am::badfun, f));
}
/// What cannot be called with so many arguments, a fun or not.
static const Word* raise_bad_call(Exec& c, const Word* pc, Term f, Term args) {
  if (!is_kind(f, Kind::fun) && !is_kind(f, Kind::export_fun)) return raise_badfun(c, pc, f, 0);
  return raise_error(c, pc, tuple(c.p->heap, am::badarity, tuple(c.p->heap, f, args)));
}
/// Fun `f` has no code. Where its module is loaded, this is another version of it, without the fun;
/// else its error handler says what becomes of it. OTP's own tries to load the module, and that has
/// been tried.
static const Word* call_undefined_fun(Exec& c, const Word* pc, Term f, uint32_t arity,
                                      Word continuation, uint64_t dealloc) {
  Term module = reinterpret_cast<FunEntry*>(boxed_ptr(f)[1])->module;
  if (c.vm->code->find_module(module)) return raise_badfun(c, pc, f, continuation);
  Term args = argument_list(c.p->heap, c.x, arity);
  Term handler = c.p->error_handler();
  Export* custom = c.vm->code->find_export(handler, am::undefined_lambda, 3);
  if (stands_in_for(c, handler) || !custom || !custom->loaded) {
    return raise_undef_fun(c, pc, f, args);
  }
  c.set_e(c.e() + dealloc);
  if (continuation) push_return(c, continuation);
  c.x[0] = module, c.x[1] = f, c.x[2] = args;
  return enter_export(c, custom);
}
/// Calls fun term `f` with `arity` arguments in x. A body call gives its own instruction `pc` (for
/// error reports) and its continuation; a tail call the size of the frame that ends with it. As on
/// BEAM a body call fails with its frame in place, so that the trace shows its function twice.
static const Word* enter_fun(Exec& c, const Word* pc, Term f, uint32_t arity, Word continuation = 0,
                             uint64_t dealloc = 0) {
  if (is_kind(f, Kind::fun)) {
    Term* p = boxed_ptr(f);
    auto* entry = reinterpret_cast<FunEntry*>(p[1]);
    auto fun_arity = static_cast<uint32_t>(p[2]);
    auto free = static_cast<uint32_t>(p[2] >> 32);
    if (fun_arity == arity) {
      const Word* code = entry->entry.load(std::memory_order_acquire);
      if (WB_UNLIKELY(!code)) {
        if (c.vm->code->is_being_purged(entry->module)) {
          return call_fun_later(c, f, arity, continuation, dealloc);
        }
        code = c.vm->code->resolve_fun(entry);
        if (!code) return call_undefined_fun(c, pc, f, arity, continuation, dealloc);
      }
      for (uint32_t k = 0; k < free; ++k) c.x[arity + k] = p[4 + k];
      c.set_e(c.e() + dealloc);
      if (continuation) push_return(c, continuation);
      if (--c.fc < 0) return leave_yielding(c, code, arity + free);
      return code;
    }
  } else if (is_kind(f, Kind::export_fun)) {
    auto* e = reinterpret_cast<Export*>(boxed_ptr(f)[1]);
    if (e->arity == arity) {
      c.set_e(c.e() + dealloc);
      if (continuation) push_return(c, continuation);
      return enter_export(c, e);
    }
  } else {
    return raise_badfun(c, pc, f, continuation);
  }
  if (continuation) push_return(c, continuation);
  return raise_bad_call(c, pc, f, argument_list(c.p->heap, c.x, arity));
}
static const Word* op_call_fun_slow(Exec& c, const Word* I) {
  instr::call_fun in{I};
  return enter_fun(c, I, c.x[in.arity()], static_cast<uint32_t>(in.arity()), in.continuation());
}
template <K A>
static const Word* op_call_fun2(Exec& c, const Word* I) {
  instr::call_fun2 in{I};
  return enter_fun(c, I, load_kind<A>(c, in.fun()), static_cast<uint32_t>(in.arity()),
                   in.continuation());
}
template <K A>
static const Word* op_call_fun_last(Exec& c, const Word* I) {
  instr::call_fun_last in{I};
  return enter_fun(c, I, load_kind<A>(c, in.fun()), static_cast<uint32_t>(in.arity()), 0,
                   in.slots());
}
// --- apply ---------------------------------------------------------------------------------------
constexpr int64_t kMostParameters = 255;

static const Word* raise_bad_apply(Exec& c, const Word* pc, uint32_t arity, const Term* args) {
  return raise_bif(c, pc, c.vm->code->export_entry(am::erlang, am::apply, arity), args, kBadarg);
}
/// apply/3 with more arguments than anything has parameters.
static const Word* raise_too_many(Exec& c, const Word* pc, const Term* args, Word continuation,
                                  uint64_t dealloc) {
  if (!is_atom(args[0]) || !is_atom(args[1])) return raise_bad_apply(c, pc, 3, args);
  c.set_e(c.e() + dealloc);
  if (continuation) push_return(c, continuation);
  return raise_undef(c, nullptr, args[0], args[1], args[2]);
}
/// Its elements become the arguments, of which there may be so many.
static void spread(Exec& c, Term list) {
  for (Term* x = c.x; is_cons(list); list = tail(list)) *x++ = head(list);
}
/// Calls module:function with `arity` arguments in x. OTP's funs-as-modules are long gone: both
/// must be atoms. apply/3 of apply/3 is what that applies.
static const Word* enter_mfa(Exec& c, const Word* pc, Term m, Term f, uint32_t arity,
                             Word continuation = 0, uint64_t dealloc = 0) {
  while (WB_UNLIKELY(m == am::erlang && f == am::apply && arity == 3)) {
    Term args[3] = {c.x[0], c.x[1], c.x[2]};
    int64_t n = list_length(args[2]);
    if (n < 0) return raise_bad_apply(c, pc, 3, args);
    if (n > kMostParameters) return raise_too_many(c, pc, args, continuation, dealloc);
    spread(c, args[2]);
    m = args[0], f = args[1], arity = static_cast<uint32_t>(n);
  }
  if (!is_atom(m) || !is_atom(f)) {
    Term args[3] = {m, f, argument_list(c.p->heap, c.x, arity)};
    return raise_bad_apply(c, pc, 3, args);
  }
  c.set_e(c.e() + dealloc);
  Export* target = c.vm->code->export_entry(m, f, arity);
  if (continuation) {
    push_return(c, continuation);
  } else if (m == am::erlang &&
             (f == am::error || f == am::throw_ || (f == am::exit && arity == 1))) {
    return enter_raising(c, target, pc);
  }
  return enter_export(c, target);
}
static const Word* op_apply(Exec& c, const Word* I) {
  instr::apply in{I};
  uint64_t n = in.arity();
  return enter_mfa(c, I, c.x[n], c.x[n + 1], static_cast<uint32_t>(n), in.continuation());
}
static const Word* op_apply_last(Exec& c, const Word* I) {
  instr::apply_last in{I};
  uint64_t n = in.arity();
  return enter_mfa(c, I, c.x[n], c.x[n + 1], static_cast<uint32_t>(n), 0, in.slots());
}
/// erlang:apply/2,3 with its arguments in x. `pc`, `continuation` and `dealloc` as for enter_fun.
static const Word* apply_list(Exec& c, const Word* pc, uint32_t arity, Word continuation = 0,
                              uint64_t dealloc = 0) {
  if (arity == 3) return enter_mfa(c, pc, am::erlang, am::apply, 3, continuation, dealloc);
  Term args[2] = {c.x[0], c.x[1]};
  int64_t n = list_length(args[1]);
  if (n < 0) return raise_bad_apply(c, pc, 2, args);
  if (n > kMostParameters) {
    if (continuation) push_return(c, continuation);
    return raise_bad_call(c, pc, args[0], args[1]);
  }
  spread(c, args[1]);
  return enter_fun(c, pc, args[0], static_cast<uint32_t>(n), continuation, dealloc);
}
/// erlang:apply/2,3 as functions: by spawn, apply, a fun.
static const Word* op_apply_entry(Exec& c, const Word* I) {
  instr::apply_entry in{I};
  if (is_traced(*c.p, traced::saves_calls) && in.arity() == 2) {
    save_call(*c.p, *c.vm->code->export_entry(am::erlang, am::apply, 2));
  }
  c.applied_by = nullptr;
  return apply_list(c, I, static_cast<uint32_t>(in.arity()));
}
static const Word* op_apply_list(Exec& c, const Word* I) {
  instr::apply_list in{I};
  return apply_list(c, I, static_cast<uint32_t>(in.arity()), in.continuation());
}
static const Word* op_apply_list_last(Exec& c, const Word* I) {
  instr::apply_list_last in{I};
  return apply_list(c, I, static_cast<uint32_t>(in.arity()), 0, in.slots());
}
/// erlang:hibernate/3 entered as a function: drop the stack, keep M:F(Args), wait. Or hibernate/0.
static const Word* op_hibernate_entry(Exec& c, const Word* I) {
  if (entry_arity(I) == 0) return hibernate_in_place(c, I);
  int64_t n = list_length(c.x[2]);
  if (is_atom(c.x[0]) && is_atom(c.x[1]) && n >= 0 && n <= 255) return hibernate(c);
  bool too_many = is_atom(c.x[0]) && is_atom(c.x[1]) && n > 255;
  return raise_bif(c, nullptr, c.vm->code->export_entry(am::erlang, am::hibernate, 3), c.x,
                   too_many ? kSystemLimit : kBadarg);
}

// --- multi-way branches
// ---------------------------------------------------------------------------- List: n/2 values
// ascending as words, then their n/2 labels.
FAST_1(select_val) {
  Term v = WB_LOAD(A, value);
  uint64_t n = WB_NUMBER(count) / 2;
  const Word* values = WB_LIST(cases);
  if (n <= 8) {
    for (uint64_t k = 0; k < n; ++k) {
      if (values[k] == v) WB_JUMP(values[n + k]);
    }
    WB_BRANCH(fail);
  }
  uint64_t low = 0, size = n;
  while (size > 1) {
    uint64_t half = size / 2;
    low = values[low + half] <= v ? low + half : low;
    size -= half;
  }
  if (values[low] == v) WB_JUMP(values[n + low]);
  WB_BRANCH(fail);
}
// src fail minimum n labels...: small integers minimum.. without gaps worth a search.
FAST_1(jump_table) {
  Term v = WB_LOAD(A, value);
  if (WB_UNLIKELY(!is_small(v))) WB_BRANCH(fail);
  uint64_t index = static_cast<uint64_t>(small_value(v) - static_cast<int64_t>(WB_ADDRESS(low)));
  if (index >= WB_NUMBER(count)) WB_BRANCH(fail);
  WB_JUMP(WB_LIST(targets)[index]);
}
static const Word* op_select_val_slow(Exec& c, const Word* I) {
  instr::select_val_slow in{I};
  Term v = load_operand(c, in.value());
  uint64_t n = in.count() / 2;
  const Word *values = in.cases(), *labels = values + n;
  for (uint64_t k = 0; k < n; ++k) {
    if (equal_exact(v, values[k])) return reinterpret_cast<const Word*>(labels[k]);
  }
  return reinterpret_cast<const Word*>(in.fail());
}
FAST_1(select_arity) {
  Term t = WB_LOAD(A, value);
  uint64_t n = WB_NUMBER(count) / 2;
  const Word* values = WB_LIST(cases);
  if (WB_LIKELY(is_boxed(t))) {
    Word h = header_of(t);
    for (uint64_t k = 0; k < n; ++k) {
      if (values[k] == h) WB_JUMP(values[n + k]);
    }
  }
  WB_BRANCH(fail);
}

// --- fun calls, fast path ------------------------------------------------------------------------
/// Where `f` begins if it is a fun of a module, of this arity, and its code is there; else nullptr.
static WB_INLINE const Word* code_of_fun(Term f, uint64_t arity) {
  if (WB_UNLIKELY(!is_kind(f, Kind::fun))) return nullptr;
  const Term* p = boxed_ptr(f);
  if (WB_UNLIKELY(static_cast<uint32_t>(p[2]) != arity)) return nullptr;
  return reinterpret_cast<FunEntry*>(p[1])->entry.load(std::memory_order_acquire);
}
/// What a fun has caught follows its arguments.
#define UNPACK_FUN(f, arity)                                       \
  do {                                                             \
    const Term *p_ = boxed_ptr(f), *end_ = p_ + 4 + (p_[2] >> 32); \
    uint64_t at_ = (arity);                                        \
    for (p_ += 4; p_ < end_; ++p_, ++at_) {                        \
      if (at_ == 0)                                                \
        x0 = *p_;                                                  \
      else if (at_ == 1)                                           \
        x1 = *p_;                                                  \
      else if (at_ == 2)                                           \
        x2 = *p_;                                                  \
      else                                                         \
        C->x[at_] = *p_;                                           \
    }                                                              \
  } while (0)

FAST_Z(call_fun) {  // arity continuation
  uint64_t arity = WB_NUMBER(arity);
  Term f = arity == 0 ? x0 : arity == 1 ? x1 : arity == 2 ? x2 : C->x[arity];
  const Word* code = code_of_fun(f, arity);
  if (WB_UNLIKELY(!code)) WB_SLOW(op_call_fun_slow);
  UNPACK_FUN(f, arity);
  *--E = WB_ADDRESS(continuation);
  WB_ENTER(code);
}
FAST_1(call_fun2) {  // fun arity continuation
  Term f = WB_LOAD(A, fun);
  const Word* code = code_of_fun(f, WB_NUMBER(arity));
  if (WB_UNLIKELY(!code)) WB_SLOW(op_call_fun2<A>);
  UNPACK_FUN(f, WB_NUMBER(arity));
  *--E = WB_ADDRESS(continuation);
  WB_ENTER(code);
}
FAST_1(call_fun_last) {  // fun arity dealloc
  Term f = WB_LOAD(A, fun);
  const Word* code = code_of_fun(f, WB_NUMBER(arity));
  if (WB_UNLIKELY(!code)) WB_SLOW(op_call_fun_last<A>);
  UNPACK_FUN(f, WB_NUMBER(arity));
  WB_MOVE_E(WB_BYTES(slots));
  WB_ENTER(code);
}
/// UNPACK_FUN where the arity is known; 3: or more, as the instruction says.
template <unsigned N>
static WB_INLINE void unpack_fun(Term f, uint64_t arity, Exec* C, Term& x0, Term& x1, Term& x2) {
  const Term* p = boxed_ptr(f) + 4;
  uint64_t left = p[-2] >> 32;
  if constexpr (N <= 0) {
    if (left == 0) return;
    x0 = *p++, --left;
  }
  if constexpr (N <= 1) {
    if (left == 0) return;
    x1 = *p++, --left;
  }
  if constexpr (N <= 2) {
    if (left == 0) return;
    x2 = *p++, --left;
  }
  for (Term* to = C->x + (N <= 2 ? 3 : arity); left; --left) {
    *to++ = *p++;
    asm volatile("" ::: "memory");  // no call of memcpy, which a stencil could not name
  }
}
#define CALL_FUN_OF(n)                                               \
  FAST_1(call_fun_of_##n) { /* fun arity continuation */             \
    Term f = WB_LOAD(A, fun);                                        \
    const Word* code = code_of_fun(f, n < 3 ? n : WB_NUMBER(arity)); \
    if (WB_UNLIKELY(!code)) WB_SLOW(op_call_fun2<A>);                \
    unpack_fun<n>(f, WB_NUMBER(arity), C, x0, x1, x2);               \
    *--E = WB_ADDRESS(continuation);                                 \
    WB_ENTER(code);                                                  \
  }                                                                  \
  FAST_1(end_in_fun_of_##n) { /* fun arity dealloc */                \
    Term f = WB_LOAD(A, fun);                                        \
    const Word* code = code_of_fun(f, n < 3 ? n : WB_NUMBER(arity)); \
    if (WB_UNLIKELY(!code)) WB_SLOW(op_call_fun_last<A>);            \
    unpack_fun<n>(f, WB_NUMBER(arity), C, x0, x1, x2);               \
    WB_MOVE_E(WB_BYTES(slots));                                      \
    WB_ENTER(code);                                                  \
  }
CALL_FUN_OF(0)
CALL_FUN_OF(1)
CALL_FUN_OF(2)
CALL_FUN_OF(3)

/// The heap was reserved by test_heap.
UNCUT_Z(make_fun) {
  instr::make_fun in{I};
  uint64_t n = in.count();
  HP[0] = make_header(Kind::fun, 3 + n);
  HP[1] = in.lambda();
  HP[2] = reinterpret_cast<FunEntry*>(in.lambda())->arity | (n << 32);
  HP[3] = C->p->id;
  for (uint64_t k = 0; k < n; ++k) HP[4 + k] = DYN_LOAD(in.free()[k]);
  Term f = make_boxed(HP);
  HP += 4 + n;
  DYN_STORE(in.dst(), f);
  WB_JUMP(in.after());
}

FAST_Z(fun_begin) {
  HP[0] = WB_NUMBER(header);
  HP[1] = WB_ADDRESS(lambda);
  HP[2] = WB_ADDRESS(arities);
  HP[3] = C->p->id;
  WB_NEXT();
}

// --- the machine's own ---------------------------------------------------------------------------
/// Ends a slice: the only handler that returns to C++.
WB_PRESERVE_NONE static void h_leave(WB_HANDLER_ARGS) { WB_SPILL(); }
/// The bottom frame's return address: the process' function returned.
static const Word* op_process_end(Exec& c, const Word* I) {
  (void)I;
  exit_process(c, am::normal);
  return leave_dead(c);
}

void install_control(Word* t, bool stress) {
  (void)stress;
  fill::zero<Instr::jump, h_jump>(t);
  fill::zero<Instr::call, h_call>(t);
  fill::zero<Instr::call_only, h_call_only>(t);
  fill::zero<Instr::call_last, h_call_last>(t);
  fill::zero<Instr::call_ext, h_call_ext>(t);
  fill::zero<Instr::call_ext_only, h_call_ext_only>(t);
  fill::zero<Instr::call_ext_last, h_call_ext_last>(t);
  fill::zero<Instr::call_bif, h_call_bif>(t);
  set_slow(t, Instr::end_call_bif, &slow_handler<op_end_call_bif>);
  set_slow(t, Instr::bif_entry, &slow_handler<op_bif_entry>);
  set_slow(t, Instr::undefined_entry, &slow_handler<op_undefined_entry>);
  set_slow(t, Instr::func_info, &slow_handler<op_func_info>);
  fill::zero<Instr::call_fun, h_call_fun>(t);
  fill::one<Instr::call_fun2, h_call_fun2, 6>(t);
#define INSTALL_FUN_OF(n)                                     \
  fill::one<Instr::call_fun_of_##n, h_call_fun_of_##n, 6>(t); \
  fill::one<Instr::end_in_fun_of_##n, h_end_in_fun_of_##n, 6>(t);
  INSTALL_FUN_OF(0)
  INSTALL_FUN_OF(1)
  INSTALL_FUN_OF(2)
  INSTALL_FUN_OF(3)
  set_slow(t, Instr::apply, &slow_handler<op_apply>);
  set_slow(t, Instr::apply_last, &slow_handler<op_apply_last>);
  fill::one<Instr::call_fun_last, h_call_fun_last, 6>(t);
  set_slow(t, Instr::apply_list, &slow_handler<op_apply_list>);
  set_slow(t, Instr::apply_list_last, &slow_handler<op_apply_list_last>);
  set_slow(t, Instr::apply_entry, &slow_handler<op_apply_entry>);
  set_slow(t, Instr::hibernate_entry, &slow_handler<op_hibernate_entry>);
  fill::zero<Instr::make_fun, h_make_fun>(t);
  fill::zero<Instr::fun_begin, h_fun_begin>(t);
  fill::one<Instr::select_val, h_select_val, 6>(t);
  fill::one<Instr::jump_table, h_jump_table, 6>(t);
  fill::one<Instr::select_arity, h_select_arity, 6>(t);
  set_slow(t, Instr::select_val_slow, &slow_handler<op_select_val_slow>);
  set_slow(t, Instr::leave, &h_leave);
  set_slow(t, Instr::process_end, &slow_handler<op_process_end>);
}

}  // namespace wb
