// Tests and branches: where most of what is known of types comes from.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::check_branches(Op op, Operands o) {
  switch (op) {
    case Op::jump:
      return jump_to(o[0].value) && end();
    case Op::is_lt:
    case Op::is_ge:
    case Op::is_eq:
    case Op::is_ne:
      return term(o[1]) && term(o[2]) && flow_to(o[0].value);
    case Op::is_eq_exact:
      return equality(o, true);
    case Op::is_ne_exact:
      return equality(o, false);
    case Op::is_integer:
      return type_test(o, kinds::integer, true);
    case Op::is_float:
      return type_test(o, kinds::flo, true);
    case Op::is_number:
      return type_test(o, kinds::number, true);
    case Op::is_atom:
      return type_test(o, kinds::atom, true);
    case Op::is_boolean:
      return type_test(o, kinds::atom, false);
    case Op::is_pid:
      return type_test(o, kinds::pid, true);
    case Op::is_reference:
      return type_test(o, kinds::reference, true);
    case Op::is_port:
      return type_test(o, kinds::port, true);
    case Op::is_nil:
      return type_test(o, kinds::nil, true);
    case Op::is_binary:
      return type_test(o, kinds::bitstring, false);
    case Op::is_bitstr:
      return type_test(o, kinds::bitstring, true);
    case Op::is_list:
      return type_test(o, kinds::list, true);
    case Op::is_nonempty_list:
      return type_test(o, kinds::cons, true);
    case Op::is_tuple:
      return type_test(o, kinds::tuple, true);
    case Op::is_map:
      return type_test(o, kinds::map, true);
    case Op::is_function:
      return type_test(o, kinds::fun, true);
    case Op::is_function2: {
      if (!term(o[2]) || !type_test(o, kinds::fun, false)) return false;
      bool known = o[2].is_int() && o[2].int_value() >= 0 && o[2].int_value() < 255;
      if (known) learn(o[1], fun_type(static_cast<uint32_t>(o[2].value)));
      return true;
    }
    case Op::test_arity:
      if (!readable(o[1])) return false;
      expect(o[1], kinds::tuple);
      if (!flow_to(o[0].value)) return false;
      if (o[2].value <= UINT32_MAX)
        learn(o[1], tuple_type(static_cast<uint32_t>(o[2].value), true));
      return true;
    case Op::is_tagged_tuple:
      if (!readable(o[1]) || !flow_to(o[0].value)) return false;
      if (o[2].value == 0) return fail(Rule::bad_operand);
      if (o[2].value <= UINT32_MAX)
        learn(o[1], tuple_type(static_cast<uint32_t>(o[2].value), true));
      return true;
    case Op::select_val:
      return check_select_val(o);
    default:
      return check_select_arity(o);
  }
}

/// Goes to `label` knowing that `o` is of `type`, if that can be.
bool FunctionAnalysis::branch(const Operand& o, ValueType type, uint64_t label) {
  if (!o.is_register()) return flow_to(label);
  if (!type.exists()) return true;
  ValueType before = state_.type(o);
  state_.refine(o, type);
  bool ok = flow_to(label);
  state_.refine(o, before);
  return ok;
}

/// `exact`: the test says yes to every value of these kinds.
bool FunctionAnalysis::type_test(Operands o, Kinds k, bool exact) {
  if (!readable(o[1])) return false;
  ValueType t = type_of(o[1]);
  if (!branch(o[1], exact ? without(t, k) : t, o[0].value)) return false;
  ValueType yes = restricted(t, k);
  if (!yes.exists()) return end();
  if (o[1].is_register()) state_.refine(o[1], yes);
  return true;
}

/// is_eq_exact goes on, is_ne_exact jumps when the two are the same value.
bool FunctionAnalysis::equality(Operands o, bool equal) {
  const Operand &a = o[1], &b = o[2];
  if (!term(a) || !term(b)) return false;
  ValueType type_a = type_of(a), type_b = type_of(b);
  ValueType same = meet(type_a, type_b);
  ValueType other = b.type == Operand::nil ? without(type_a, kinds::nil) : type_a;
  bool register_b = b.is_register();
  if (equal) {
    if (!branch(a, other, o[0].value)) return false;
    if (!same.exists()) return end();
    if (a.is_register()) state_.refine(a, same);
    if (register_b) state_.refine(b, meet(type_b, type_a));
    return true;
  }
  if (same.exists()) {
    if (register_b) state_.refine(b, meet(type_b, type_a));
    if (!branch(a, same, o[0].value)) return false;
    if (register_b) state_.refine(b, type_b);
    if (a.is_register()) state_.refine(a, type_a);
  }
  if (!other.exists()) return end();
  if (a.is_register()) state_.refine(a, other);
  return true;
}

bool FunctionAnalysis::check_select_val(Operands o) {
  Operands pairs = unit_.list_of(o[2]);
  if (pairs.size() % 2) return fail(Rule::bad_list);
  if (!term(o[0])) return false;
  ValueType t = type_of(o[0]);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i + 1].type != Operand::f) return fail_operand(Rule::bad_list, pairs[i + 1]);
    ValueType value = pairs[i].is_register() ? ValueType{} : type_of(pairs[i]);
    if (!value.exists()) return fail_operand(Rule::bad_list, pairs[i]);
    if (!branch(o[0], meet(t, value), pairs[i + 1].value)) return false;
  }
  return flow_to(o[1].value) && end();
}

bool FunctionAnalysis::check_select_arity(Operands o) {
  Operands pairs = unit_.list_of(o[2]);
  if (pairs.size() % 2) return fail(Rule::bad_list);
  if (!readable(o[0])) return false;
  expect(o[0], kinds::tuple);
  ValueType t = type_of(o[0]);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i + 1].type != Operand::f) return fail_operand(Rule::bad_list, pairs[i + 1]);
    if (pairs[i].type != Operand::u || pairs[i].value > UINT32_MAX)
      return fail_operand(Rule::bad_list, pairs[i]);
    ValueType sized = meet(t, tuple_type(static_cast<uint32_t>(pairs[i].value), true));
    if (!branch(o[0], sized, pairs[i + 1].value)) return false;
  }
  return flow_to(o[1].value) && end();
}

}  // namespace wb
