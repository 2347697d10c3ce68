// catch, try and what raises.
//
// An exception continues at the handler named by the tag in the lowest y register that has one, so
// an inner catch must use a lower register than those around it. On arrival nothing is in x
// registers but what catch_end or try_case puts there; try_case may only be reached that way.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::check_exceptions(Op op, Operands o) {
  switch (op) {
    case Op::func_info:
      for (uint32_t i = 0; i < o[2].value; i++)
        if (!state_.x_type(i).exists()) return fail(Rule::uninitialized, "x" + std::to_string(i));
      return may_raise() && end();
    case Op::catch_:
      return enter_catch(o, kinds::catch_tag);
    case Op::try_:
      return enter_catch(o, kinds::try_tag);
    case Op::catch_end: {
      if (!leave_catch(o[0], kinds::catch_tag) || !x_durable(1) || !yield()) return false;
      state_.assign_x(0, any_term());
      return true;
    }
    case Op::try_end:
      return leave_catch(o[0], kinds::try_tag);
    case Op::try_case:
      if (!was_raised_) return fail(Rule::bad_catch, "reached without an exception");
      if (!leave_catch(o[0], kinds::try_tag)) return false;
      state_.assign_x(0, wb::type_of(kinds::atom));
      state_.assign_x(1, any_term());
      state_.assign_x(2, any_term());
      return true;
    case Op::badmatch:
    case Op::case_end:
    case Op::try_case_end:
    case Op::badrecord:
      return durable(o[0]) && may_raise() && end();
    case Op::if_end:
      return may_raise() && end();
    case Op::raise:
      return durable(o[0]) && durable(o[1]) && may_raise() && end();
    case Op::raw_raise:
      return x_durable(3) && call_result(any_term());
    default:  // build_stacktrace
      if (!x_durable(1) || !collect_x(1)) return false;
      state_.assign_x(0, any_term());
      return true;
  }
}

bool FunctionAnalysis::enter_catch(Operands o, Kinds tag) {
  if (!writable(o[0])) return false;
  if (state_.innermost_tag() < o[0].value)
    return fail_operand(Rule::bad_catch, o[0], "is above that of a catch around it");
  if (first_at(o[1].value) != (tag == kinds::try_tag ? Op::try_case : Op::catch_end))
    return fail(Rule::bad_catch, "the handler does not begin as one");
  ValueType t = wb::type_of(tag);
  t.value = static_cast<uint32_t>(o[1].value);
  state_.assign(o[0], t);
  return true;
}

bool FunctionAnalysis::leave_catch(const Operand& y, Kinds tag) {
  if (!state_.has_slot(y) || state_.type(y).kinds != tag)
    return fail_operand(Rule::bad_catch, y, "does not hold this kind of catch");
  if (state_.innermost_tag() != y.value)
    return fail_operand(Rule::bad_catch, y, "is not the innermost catch");
  state_.assign(y, wb::type_of(kinds::nil));
  return true;
}

}  // namespace wb
