// Moving values, building and taking apart lists, tuples and funs.
#include "bytecode/function_analysis.h"

namespace wb {
namespace {

constexpr uint64_t kMaxTuple = (1 << 24) - 1;

}  // namespace

bool FunctionAnalysis::check(const op::move& in) {
  if (!readable(in.source())) return false;
  if (!in.source().is_register()) return assign(in.dst(), type_of(in.source()));
  if (!writable(in.dst())) return false;
  state_.copy(in.source(), in.dst());
  return true;
}
bool FunctionAnalysis::check(const op::swap& in) {
  const Operand &a = in.first(), &b = in.second();
  if (!readable(a) || !readable(b) || !writable(a) || !writable(b)) return false;
  state_.swap(a, b);
  return true;
}

// --- lists ---------------------------------------------------------------------------------------
/// The instruction's list is a cons, or is looked at first; *part: what is taken out of it.
template <class I>
bool FunctionAnalysis::list(const I& in, ValueType* part) {
  if (!readable(in.list())) return false;
  expect(in, in.list(), kinds::cons);
  *part = part_of(in.list());
  learn(in.list(), wb::type_of(kinds::cons));
  return true;
}
bool FunctionAnalysis::check(const op::get_list& in) {
  ValueType part;
  return list(in, &part) && assign(in.head(), part) && assign(in.tail(), part);
}
bool FunctionAnalysis::check(const op::get_hd& in) {
  ValueType part;
  return list(in, &part) && assign(in.head(), part);
}
bool FunctionAnalysis::check(const op::get_tl& in) {
  ValueType part;
  return list(in, &part) && assign(in.tail(), part);
}
bool FunctionAnalysis::check(const op::put_list& in) {
  return term(in.head()) && term(in.tail()) && take_heap(2) &&
         assign(in.dst(), part_of(in.head(), part_of(in.tail(), wb::type_of(kinds::cons))));
}

// --- tuples --------------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::get_tuple_element& in) {
  if (!readable(in.tuple())) return false;
  uint64_t size = in.index().value + 1;
  if (size > kMaxTuple) return fail(Rule::bad_operand);
  if (!type_of(in.tuple()).is_tuple_of_at_least(size)) checked(in);
  ValueType part = part_of(in.tuple());
  learn(in.tuple(), tuple_type(static_cast<uint32_t>(size), false));
  return assign(in.dst(), part);
}

bool FunctionAnalysis::check(const op::set_tuple_element& in) {
  if (!durable(in.value()) || !term(in.tuple())) return false;
  if (in.index().value >= kMaxTuple) return fail(Rule::bad_operand);
  const ValueType& t = state_.type(in.tuple());
  if (!(t.flags & ValueType::kFresh))
    return fail_operand(Rule::bad_type, in.tuple(), "is no new tuple");
  // Nothing has been built since the tuple was made, so nothing contains it, but the value may be
  // the tuple itself: a term must not become part of itself.
  ValueType value = type_of(in.value());
  bool itself = (value.kinds & kinds::tuple) && !(value.flags & ValueType::kConstant);
  if (itself || !t.is_tuple_of_at_least(in.index().value + 1)) checked(in);
  return true;
}

bool FunctionAnalysis::check(const op::put_tuple2& in) {
  Operands elements = unit_.list_of(in.elements());
  if (elements.size() > kMaxTuple) return fail(Rule::bad_list);
  ValueType t = tuple_type(static_cast<uint32_t>(elements.size()), true);
  return contains(elements, &t) && take_heap(elements.size() + 1) && assign(in.dst(), t);
}

/// (OTP 26) The updates are pairs of index, from 1, and value; indices ascend.
bool FunctionAnalysis::check(const op::update_record& in) {
  uint64_t size = in.size().value, last = 0;
  Operands updates = unit_.list_of(in.updates());
  if (size > kMaxTuple) return fail(Rule::bad_operand);
  if (updates.size() % 2) return fail(Rule::bad_list);
  ValueType result = tuple_type(static_cast<uint32_t>(size), true);
  for (size_t i = 0; i < updates.size(); i += 2) {
    if (updates[i].type != Operand::u || updates[i].value <= last || updates[i].value > size)
      return fail_operand(Rule::bad_list, updates[i]);
    last = updates[i].value;
    if (!contains(updates.subspan(i + 1, 1), &result)) return false;
  }
  if (!contains({&in.source(), 1}, &result)) return false;
  if (!type_of(in.source()).is_tuple_of(size)) checked(in);
  learn(in.source(), tuple_type(static_cast<uint32_t>(size), true));
  return take_heap(size + 1) && assign(in.dst(), result);
}

// --- funs ----------------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::make_fun2& in) {
  const BeamLambda& l = unit_.file->lambdas[in.lambda().value];
  if (!x_durable(l.num_free) || !collect_x(l.num_free)) return false;
  state_.assign_x(0, fun_type(l.arity - l.num_free));
  return true;
}
bool FunctionAnalysis::check(const op::make_fun3& in) {
  const BeamLambda& l = unit_.file->lambdas[in.lambda().value];
  Operands env = unit_.list_of(in.free());
  if (env.size() != l.num_free)
    return fail(Rule::bad_list, std::to_string(l.num_free) + " free variables are needed");
  ValueType t = fun_type(l.arity - l.num_free);
  return contains(env, &t) && take_heap(env.size(), 0, 1) && assign(in.dst(), t);
}

}  // namespace wb
