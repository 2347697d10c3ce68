// Tests and branches: where most of what is known of types comes from.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::check(const op::jump& in) { return jump_to(in.target().value) && end(); }

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

// --- tests of types ------------------------------------------------------------------------------
bool FunctionAnalysis::type_test(const Operand& value, const Operand& fail, Kinds k, Passes which) {
  if (!readable(value)) return false;
  ValueType t = type_of(value);
  ValueType no = which == Passes::exactly ? without(t, k) : t;
  if (!branch(value, no, fail.value)) return false;
  ValueType yes = restricted(t, k);
  if (!yes.exists()) return end();
  if (value.is_register()) state_.refine(value, yes);
  return true;
}
#define TYPE_TEST(number, name, k, which, since)                      \
  bool FunctionAnalysis::check(const op::name& in) {                  \
    return type_test(in.value(), in.fail(), kinds::k, Passes::which); \
  }
#include "bytecode/opcodes.def"

bool FunctionAnalysis::check(const op::is_function2& in) {
  const Operand& arity = in.arity();
  if (!term(arity) || !type_test(in.value(), in.fail(), kinds::fun, Passes::some)) return false;
  bool known = arity.is_int() && arity.int_value() >= 0 && arity.int_value() < 255;
  if (known) learn(in.value(), fun_type(static_cast<uint32_t>(arity.value)));
  return true;
}

bool FunctionAnalysis::check(const op::test_arity& in) {
  if (!readable(in.tuple())) return false;
  expect(in, in.tuple(), kinds::tuple);
  if (!flow_to(in.fail().value)) return false;
  uint64_t arity = in.arity().value;
  if (arity <= UINT32_MAX) learn(in.tuple(), tuple_type(static_cast<uint32_t>(arity), true));
  return true;
}
bool FunctionAnalysis::check(const op::is_tagged_tuple& in) {
  if (!readable(in.tuple()) || !flow_to(in.fail().value)) return false;
  uint64_t arity = in.arity().value;
  if (arity == 0) return fail(Rule::bad_operand);
  if (arity <= UINT32_MAX) learn(in.tuple(), tuple_type(static_cast<uint32_t>(arity), true));
  return true;
}

// --- comparisons ---------------------------------------------------------------------------------
#define COMPARISON(number, name, since)                                     \
  bool FunctionAnalysis::check(const op::name& in) {                        \
    return term(in.left()) && term(in.right()) && flow_to(in.fail().value); \
  }
#include "bytecode/opcodes.def"

/// is_eq_exact goes on, is_ne_exact jumps when the two are the same value.
bool FunctionAnalysis::equality(const Operand& a, const Operand& b, const Operand& fail,
                                bool equal) {
  if (!term(a) || !term(b)) return false;
  ValueType type_a = type_of(a), type_b = type_of(b);
  ValueType same = meet(type_a, type_b);
  ValueType other = b.type == Operand::nil ? without(type_a, kinds::nil) : type_a;
  bool register_b = b.is_register();
  if (equal) {
    if (!branch(a, other, fail.value)) return false;
    if (!same.exists()) return end();
    if (a.is_register()) state_.refine(a, same);
    if (register_b) state_.refine(b, meet(type_b, type_a));
    return true;
  }
  if (same.exists()) {
    if (register_b) state_.refine(b, meet(type_b, type_a));
    if (!branch(a, same, fail.value)) return false;
    if (register_b) state_.refine(b, type_b);
    if (a.is_register()) state_.refine(a, type_a);
  }
  if (!other.exists()) return end();
  if (a.is_register()) state_.refine(a, other);
  return true;
}
bool FunctionAnalysis::check(const op::is_eq_exact& in) {
  return equality(in.left(), in.right(), in.fail(), true);
}
bool FunctionAnalysis::check(const op::is_ne_exact& in) {
  return equality(in.left(), in.right(), in.fail(), false);
}

// --- select --------------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::select_val& in) {
  Operands pairs = unit_.list_of(in.cases());
  if (pairs.size() % 2) return fail(Rule::bad_list);
  if (!term(in.value())) return false;
  ValueType t = type_of(in.value());
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i + 1].type != Operand::f) return fail_operand(Rule::bad_list, pairs[i + 1]);
    ValueType value = pairs[i].is_register() ? ValueType{} : type_of(pairs[i]);
    if (!value.exists()) return fail_operand(Rule::bad_list, pairs[i]);
    if (!branch(in.value(), meet(t, value), pairs[i + 1].value)) return false;
  }
  return flow_to(in.fail().value) && end();
}

bool FunctionAnalysis::check(const op::select_tuple_arity& in) {
  Operands pairs = unit_.list_of(in.cases());
  if (pairs.size() % 2) return fail(Rule::bad_list);
  if (!readable(in.tuple())) return false;
  expect(in, in.tuple(), kinds::tuple);
  ValueType t = type_of(in.tuple());
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i + 1].type != Operand::f) return fail_operand(Rule::bad_list, pairs[i + 1]);
    if (pairs[i].type != Operand::u || pairs[i].value > UINT32_MAX)
      return fail_operand(Rule::bad_list, pairs[i]);
    ValueType sized = meet(t, tuple_type(static_cast<uint32_t>(pairs[i].value), true));
    if (!branch(in.tuple(), sized, pairs[i + 1].value)) return false;
  }
  return flow_to(in.fail().value) && end();
}

}  // namespace wb
