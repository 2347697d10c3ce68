// allocate, deallocate, trim, test_heap: the stack frame and reserved heap.
#include "bytecode/function_analysis.h"

namespace wb {

bool FunctionAnalysis::allocate(const Operand& slots, const Operand& live, ValueType filled) {
  if (!no_frame() || !collect(live)) return false;
  state_.allocate(static_cast<uint32_t>(slots.value), filled);
  return true;
}
bool FunctionAnalysis::check(const op::allocate& in) {
  return allocate(in.slots(), in.live(), unset());
}
bool FunctionAnalysis::check(const op::allocate_zero& in) {
  return allocate(in.slots(), in.live(), wb::type_of(kinds::nil));
}
bool FunctionAnalysis::check(const op::allocate_heap& in) {
  if (!allocate(in.slots(), in.live(), unset())) return false;
  state_.heap = unit_.heap_need(in.heap());
  return true;
}
bool FunctionAnalysis::check(const op::allocate_heap_zero& in) {
  if (!allocate(in.slots(), in.live(), wb::type_of(kinds::nil))) return false;
  state_.heap = unit_.heap_need(in.heap());
  return true;
}

bool FunctionAnalysis::check(const op::test_heap& in) {
  if (!collect(in.live())) return false;
  state_.heap = unit_.heap_need(in.heap());
  return true;
}

bool FunctionAnalysis::check(const op::init& in) {
  return assign(in.slot(), wb::type_of(kinds::nil));
}
bool FunctionAnalysis::check(const op::init_yregs& in) {
  for (const Operand& y : unit_.list_of(in.registers())) {
    if (y.type != Operand::y) return fail_operand(Rule::bad_list, y);
    if (!assign(y, wb::type_of(kinds::nil))) return false;
  }
  return true;
}

bool FunctionAnalysis::check(const op::deallocate& in) {
  if (!frame_is(in.slots().value)) return false;
  state_.deallocate();
  return true;
}

bool FunctionAnalysis::check(const op::trim& in) {
  uint64_t dropped = in.slots().value;
  if (!some_frame()) return false;
  if (dropped > state_.frame() || state_.frame() - dropped != in.remaining().value)
    return fail(Rule::bad_frame, "it has " + std::to_string(state_.frame()) + " registers");
  if (state_.innermost_tag() < dropped)
    return fail(Rule::bad_catch, "a catch is in the part that goes");
  state_.trim(static_cast<uint32_t>(dropped));
  return true;
}

}  // namespace wb
