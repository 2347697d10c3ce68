// Calls and returns.
#include "bytecode/function_analysis.h"
#include "term/atom.h"

namespace wb {
namespace {

constexpr uint64_t kMaxArity = 255;

}  // namespace

bool FunctionAnalysis::check_calls(Op op, Operands o) {
  switch (op) {
    case Op::call:
      return some_frame() && local_call(o, false);
    case Op::call_only:
      return no_frame() && local_call(o, true);
    case Op::call_last:
      return frame_is(o[2].value) && local_call(o, true);
    case Op::call_ext:
      return external_call(o, false);
    case Op::call_ext_only:
      return (never_returns(unit_, unit_.instructions[at_]) || no_frame()) &&
             external_call(o, true);
    case Op::call_ext_last:
      return (never_returns(unit_, unit_.instructions[at_]) || frame_is(o[2].value)) &&
             external_call(o, true);
    case Op::call_fun:
      if (o[0].value > kMaxArity) return fail(Rule::bad_arity);
      return some_frame() && call_fun(o[0].value);
    case Op::call_fun2:
      if (o[1].value > kMaxArity) return fail(Rule::bad_arity);
      if (!some_frame() || !x_durable(o[1].value) || !durable(o[2])) return false;
      if (!type_of(o[2]).only(kinds::fun) || type_of(o[2]).fun_arity != o[1].value) checked();
      return call_result(any_term());
    case Op::apply:
      if (o[0].value > kMaxArity) return fail(Rule::bad_arity);
      return some_frame() && x_durable(o[0].value + 2) && call_result(any_term());
    case Op::apply_last:
      if (o[0].value > kMaxArity) return fail(Rule::bad_arity);
      if (!frame_is(o[1].value) || !x_durable(o[0].value + 2)) return false;
      module_.returns(index_, any_term());
      return end();
    case Op::send:
      return some_frame() && x_durable(2) && call_result(any_term());
    case Op::bs_init_writable:
      return some_frame() && x_durable(1) && call_result(wb::type_of(kinds::bitstring));
    default:  // return
      if (!no_frame() || !x_durable(1)) return false;
      module_.returns(index_, state_.x_type(0));
      return end();
  }
}

/// After a call only y registers remain, and x0.
bool FunctionAnalysis::call_result(ValueType result) {
  if (!may_raise() || !yield()) return false;
  if (!result.exists()) return end();
  state_.assign_x(0, result);
  return true;
}

/// prim_eval:receive/2 calls a fun with the message it looks at, and afterwards takes it or goes on
/// to the next. So the process must own the message before the call, although it stays in the
/// queue, and look whether it is still its turn afterwards.
bool FunctionAnalysis::call_fun(uint64_t arity) {
  bool looking = state_.has_message && fragile_x(arity + 1);
  if (looking) {
    checked();
    state_.message_kept();
  }
  if (!x_durable(arity + 1) || !call_result(any_term())) return false;
  state_.has_message = state_.may_have_moved = looking;
  return true;
}

bool FunctionAnalysis::local_call(Operands o, bool tail) {
  if (module_.is_native(o[1].value) && !x_durable(o[0].value)) return false;
  Operand x;
  x.type = Operand::x;
  for (x.value = 0; x.value < o[0].value; x.value++) {
    if (!readable(x)) return false;
    if (type_of(x).fragile()) return fail_operand(Rule::bad_receive, x);
  }
  ValueType result = module_.call(index_, o[1].value, state_);
  if (!tail) return call_result(result);
  module_.returns(index_, result);
  return end();
}

bool FunctionAnalysis::external_call(Operands o, bool tail) {
  const BeamImport& import = unit_.file->imports[o[1].value];
  if (import.arity != o[0].value) return fail(Rule::bad_arity, "the import has another arity");
  if (!x_durable(o[0].value)) return false;
  if (never_returns(unit_, unit_.instructions[at_])) return may_raise() && end();
  ValueType result = result_of(import);
  if (!tail) return some_frame() && call_result(result);
  module_.returns(index_, result);
  return end();
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

}  // namespace wb
