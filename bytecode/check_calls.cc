// Calls and returns. The result of a local call is any term, whatever the callee's code returns: a
// NIF may be in its place, or a debugger may answer (erts_debug:breakpoint/2).
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

constexpr uint64_t kMaxArity = 255;

}  // namespace

/// After a call only y registers remain, and x0.
bool FunctionAnalysis::call_result(ValueType result) {
  if (!may_raise() || !yield()) return false;
  state_.assign_x(0, result);
  return true;
}

// --- of the same module --------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::call& in) {
  return some_frame() && local_call(in.arity(), in.entry(), false);
}
bool FunctionAnalysis::check(const op::call_only& in) {
  return no_frame() && local_call(in.arity(), in.entry(), true);
}
bool FunctionAnalysis::check(const op::call_last& in) {
  return frame_is(in.slots().value) && local_call(in.arity(), in.entry(), true);
}

bool FunctionAnalysis::local_call(const Operand& arity, const Operand& entry, bool tail) {
  if (module_.is_native(entry.value) && !x_durable(arity.value)) return false;
  Operand x;
  x.type = Operand::x;
  for (x.value = 0; x.value < arity.value; x.value++) {
    if (!readable(x)) return false;
    if (type_of(x).fragile()) return fail_operand(Rule::bad_receive, x);
  }
  module_.call(entry.value, state_);
  return tail ? end() : call_result(any_term());
}

// --- of another ----------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::call_ext& in) {
  return external_call(in.arity(), in.function(), false);
}
bool FunctionAnalysis::check(const op::call_ext_only& in) {
  return (never_returns(unit_, in.instruction) || no_frame()) &&
         external_call(in.arity(), in.function(), true);
}
bool FunctionAnalysis::check(const op::call_ext_last& in) {
  return (never_returns(unit_, in.instruction) || frame_is(in.slots().value)) &&
         external_call(in.arity(), in.function(), true);
}

bool FunctionAnalysis::external_call(const Operand& arity, const Operand& function, bool tail) {
  const BeamImport& import = unit_.file->imports[function.value];
  if (import.arity != arity.value) return fail(Rule::bad_arity, "the import has another arity");
  if (!x_durable(arity.value)) return false;
  if (never_returns(unit_, unit_.instructions[at_])) return may_raise() && end();
  return tail ? end() : some_frame() && call_result(result_of(import));
}

/// setelement/3 makes the tuple that set_tuple_element may then write to.
ValueType FunctionAnalysis::result_of(const BeamImport& import) const {
  if (import.module != am::erlang || import.arity != 3 ||
      atom_text(import.function) != "setelement")
    return any_term();
  ValueType position = state_.x_type(0), source = state_.x_type(1);
  ValueType t = tuple_type(0, false);
  if (source.only(kinds::tuple)) {
    t.tuple_size = source.tuple_size;
    t.flags |= source.flags & ValueType::kExactSize;
  }
  if (position.is_constant() && position.value > t.tuple_size) t.tuple_size = position.value;
  t.flags |= ValueType::kFresh;
  return t;
}

// --- of funs, and of what is known at run time only ----------------------------------------------
/// prim_eval:receive/2 calls a fun with the message it looks at, and afterwards takes it or goes on
/// to the next. So the process must own the message before the call, although it stays in the
/// queue, and look whether it is still its turn afterwards.
bool FunctionAnalysis::check(const op::call_fun& in) {
  uint64_t arity = in.arity().value;
  if (arity > kMaxArity) return fail(Rule::bad_arity);
  if (!some_frame()) return false;
  bool looking = state_.has_message && fragile_x(arity + 1);
  if (looking) {
    checked(in);
    state_.message_kept();
  }
  if (!x_durable(arity + 1) || !call_result(any_term())) return false;
  state_.has_message = state_.may_have_moved = looking;
  return true;
}
bool FunctionAnalysis::check(const op::call_fun2& in) {
  uint64_t arity = in.arity().value;
  if (arity > kMaxArity) return fail(Rule::bad_arity);
  if (!some_frame() || !x_durable(arity) || !durable(in.fun())) return false;
  ValueType fun = type_of(in.fun());
  if (!fun.only(kinds::fun) || fun.fun_arity != arity) checked(in);
  return call_result(any_term());
}
bool FunctionAnalysis::check(const op::apply& in) {
  uint64_t arity = in.arity().value;
  if (arity > kMaxArity) return fail(Rule::bad_arity);
  return some_frame() && x_durable(arity + 2) && call_result(any_term());
}
bool FunctionAnalysis::check(const op::apply_last& in) {
  uint64_t arity = in.arity().value;
  if (arity > kMaxArity) return fail(Rule::bad_arity);
  return frame_is(in.slots().value) && x_durable(arity + 2) && end();
}

// --- what is a call to the process, and returning ------------------------------------------------
bool FunctionAnalysis::check(const op::send&) {
  return some_frame() && x_durable(2) && call_result(any_term());
}
bool FunctionAnalysis::check(const op::bs_init_writable&) {
  return some_frame() && x_durable(1) && call_result(wb::type_of(kinds::bitstring));
}
bool FunctionAnalysis::check(const op::return_&) { return no_frame() && x_durable(1) && end(); }

}  // namespace wb
