// Moving values, building and taking apart lists, tuples and funs.
#include "bytecode/function_analysis.h"

namespace wb {
namespace {

constexpr uint64_t kMaxTuple = (1 << 24) - 1;

}  // namespace

bool FunctionAnalysis::check_data(Op op, Operands o) {
  switch (op) {
    case Op::move:
      if (!readable(o[0])) return false;
      if (!o[0].is_register()) return assign(o[1], type_of(o[0]));
      if (!writable(o[1])) return false;
      state_.copy(o[0], o[1]);
      return true;
    case Op::swap: {
      if (!readable(o[0]) || !readable(o[1]) || !writable(o[0]) || !writable(o[1])) return false;
      state_.swap(o[0], o[1]);
      return true;
    }
    case Op::get_list:
    case Op::get_hd:
    case Op::get_tl: {
      if (!readable(o[0])) return false;
      expect(o[0], kinds::cons);
      ValueType part = part_of(o[0]);
      learn(o[0], wb::type_of(kinds::cons));
      return assign(o[1], part) && (op != Op::get_list || assign(o[2], part));
    }
    case Op::get_tuple_element: {
      if (!readable(o[0])) return false;
      uint64_t size = o[1].value + 1;
      if (size > kMaxTuple) return fail(Rule::bad_operand);
      if (!type_of(o[0]).is_tuple_of_at_least(size)) checked();
      ValueType part = part_of(o[0]);
      learn(o[0], tuple_type(static_cast<uint32_t>(size), false));
      return assign(o[2], part);
    }
    case Op::set_tuple_element: {
      if (!durable(o[0]) || !term(o[1])) return false;
      if (o[2].value >= kMaxTuple) return fail(Rule::bad_operand);
      const ValueType& t = state_.type(o[1]);
      if (!(t.flags & ValueType::kFresh))
        return fail_operand(Rule::bad_type, o[1], "is no new tuple");
      // Nothing has been built since the tuple was made, so nothing contains it, but the value may
      // be the tuple itself: a term must not become part of itself.
      ValueType value = type_of(o[0]);
      bool itself = (value.kinds & kinds::tuple) && !(value.flags & ValueType::kConstant);
      if (itself || !t.is_tuple_of_at_least(o[2].value + 1)) checked();
      return true;
    }
    case Op::put_list:
      return term(o[0]) && term(o[1]) && take_heap(2) &&
             assign(o[2], part_of(o[0], part_of(o[1], wb::type_of(kinds::cons))));
    case Op::put_tuple2: {
      Operands elements = unit_.list_of(o[1]);
      if (elements.size() > kMaxTuple) return fail(Rule::bad_list);
      ValueType t = tuple_type(static_cast<uint32_t>(elements.size()), true);
      return contains(elements, &t) && take_heap(elements.size() + 1) && assign(o[0], t);
    }
    case Op::update_record:
      return check_tuple_update(o);
    case Op::make_fun2: {
      const BeamLambda& l = unit_.file->lambdas[o[0].value];
      if (!x_durable(l.num_free) || !collect_x(l.num_free)) return false;
      state_.assign_x(0, fun_type(l.arity - l.num_free));
      return true;
    }
    default:
      return check_make_fun(o);
  }
}

bool FunctionAnalysis::check_make_fun(Operands o) {
  const BeamLambda& l = unit_.file->lambdas[o[0].value];
  Operands env = unit_.list_of(o[2]);
  if (env.size() != l.num_free)
    return fail(Rule::bad_list, std::to_string(l.num_free) + " free variables are needed");
  ValueType t = fun_type(l.arity - l.num_free);
  return contains(env, &t) && take_heap(env.size(), 0, 1) && assign(o[1], t);
}

/// update_record Hint Size Src Dst [Index, Value, ...] (OTP 26): indices are 1-based and ascend.
bool FunctionAnalysis::check_tuple_update(Operands o) {
  uint64_t size = o[1].value, last = 0;
  Operands updates = unit_.list_of(o[4]);
  if (size > kMaxTuple) return fail(Rule::bad_operand);
  if (updates.size() % 2) return fail(Rule::bad_list);
  ValueType result = tuple_type(static_cast<uint32_t>(size), true);
  for (size_t i = 0; i < updates.size(); i += 2) {
    if (updates[i].type != Operand::u || updates[i].value <= last || updates[i].value > size)
      return fail_operand(Rule::bad_list, updates[i]);
    last = updates[i].value;
    if (!contains(updates.subspan(i + 1, 1), &result)) return false;
  }
  if (!contains(o.subspan(2, 1), &result)) return false;
  if (!type_of(o[2]).is_tuple_of(size)) checked();
  learn(o[2], tuple_type(static_cast<uint32_t>(size), true));
  return take_heap(size + 1) && assign(o[3], result);
}

}  // namespace wb
