// catch, try and what raises.
//
// An exception continues at the handler named by the tag in the lowest y register that has one, so
// an inner catch must use a lower register than those around it. On arrival nothing is in x
// registers but what catch_end or try_case puts there; try_case may only be reached that way.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::enter_catch(const Operand& slot, const Operand& handler, Kinds tag) {
  if (!writable(slot)) return false;
  if (state_.innermost_tag() < slot.value)
    return fail_operand(Rule::bad_catch, slot, "is above that of a catch around it");
  if (first_at(handler.value) != (tag == kinds::try_tag ? Op::try_case : Op::catch_end))
    return fail(Rule::bad_catch, "the handler does not begin as one");
  ValueType t = wb::type_of(tag);
  t.value = static_cast<uint32_t>(handler.value);
  state_.assign(slot, t);
  return true;
}
bool FunctionAnalysis::check(const op::catch_& in) {
  return enter_catch(in.slot(), in.handler(), kinds::catch_tag);
}
bool FunctionAnalysis::check(const op::try_& in) {
  return enter_catch(in.slot(), in.handler(), kinds::try_tag);
}

bool FunctionAnalysis::leave_catch(const Operand& slot, Kinds tag) {
  if (!state_.has_slot(slot) || state_.type(slot).kinds != tag)
    return fail_operand(Rule::bad_catch, slot, "does not hold this kind of catch");
  if (state_.innermost_tag() != slot.value)
    return fail_operand(Rule::bad_catch, slot, "is not the innermost catch");
  state_.assign(slot, wb::type_of(kinds::nil));
  return true;
}
bool FunctionAnalysis::check(const op::catch_end& in) {
  if (!leave_catch(in.slot(), kinds::catch_tag) || !x_durable(1) || !yield()) return false;
  state_.assign_x(0, any_term());
  return true;
}
bool FunctionAnalysis::check(const op::try_end& in) {
  return leave_catch(in.slot(), kinds::try_tag);
}
bool FunctionAnalysis::check(const op::try_case& in) {
  if (!was_raised_) return fail(Rule::bad_catch, "reached without an exception");
  if (!leave_catch(in.slot(), kinds::try_tag)) return false;
  state_.assign_x(0, wb::type_of(kinds::atom));
  state_.assign_x(1, any_term());
  state_.assign_x(2, any_term());
  return true;
}

// --- what raises ---------------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::func_info& in) {
  for (uint32_t i = 0; i < in.arity().value; i++)
    if (!state_.x_type(i).exists()) return fail(Rule::uninitialized, "x" + std::to_string(i));
  return may_raise() && end();
}
#define FAILURE(number, name, error, since)             \
  bool FunctionAnalysis::check(const op::name& in) {    \
    return durable(in.value()) && may_raise() && end(); \
  }
#include "bytecode/opcodes.def"
bool FunctionAnalysis::check(const op::if_end&) { return may_raise() && end(); }
bool FunctionAnalysis::check(const op::raise& in) {
  return durable(in.trace()) && durable(in.reason()) && may_raise() && end();
}
bool FunctionAnalysis::check(const op::raw_raise&) {
  return x_durable(3) && call_result(any_term());
}
bool FunctionAnalysis::check(const op::build_stacktrace&) {
  if (!x_durable(1) || !collect_x(1)) return false;
  state_.assign_x(0, any_term());
  return true;
}

}  // namespace wb
