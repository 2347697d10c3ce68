// allocate, deallocate, trim, test_heap: the stack frame and reserved heap.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::check_frame(Op op, Operands o) {
  switch (op) {
    case Op::test_heap:
      if (!collect(o[1])) return false;
      state_.heap = unit_.heap_need(o[0]);
      return true;
    case Op::init:
      return assign(o[0], wb::type_of(kinds::nil));
    case Op::init_yregs:
      for (const Operand& y : unit_.list_of(o[0])) {
        if (y.type != Operand::y) return fail_operand(Rule::bad_list, y);
        if (!assign(y, wb::type_of(kinds::nil))) return false;
      }
      return true;
    case Op::deallocate:
      if (!frame_is(o[0].value)) return false;
      state_.deallocate();
      return true;
    case Op::trim: {
      uint64_t dropped = o[0].value;
      if (!some_frame()) return false;
      if (dropped > state_.frame() || state_.frame() - dropped != o[1].value)
        return fail(Rule::bad_frame, "it has " + std::to_string(state_.frame()) + " registers");
      if (state_.innermost_tag() < dropped)
        return fail(Rule::bad_catch, "a catch is in the part that goes");
      state_.trim(static_cast<uint32_t>(dropped));
      return true;
    }
    default:
      return check_allocate(op, o);
  }
}

bool FunctionAnalysis::check_allocate(Op op, Operands o) {
  bool heap = op == Op::allocate_heap || op == Op::allocate_heap_zero;
  bool zero = op == Op::allocate_zero || op == Op::allocate_heap_zero;
  if (!no_frame() || !collect(o.back())) return false;
  state_.allocate(static_cast<uint32_t>(o[0].value), zero ? wb::type_of(kinds::nil) : unset());
  if (heap) state_.heap = unit_.heap_need(o[1]);
  return true;
}

}  // namespace wb
