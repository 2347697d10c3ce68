// Receiving. Between loop_rec and remove_message (or loop_rec_end) the message still belongs to the
// queue: parts of it may be looked at in x registers, but not stored anywhere.
#include "bytecode/function_analysis.h"

namespace wb {

/// `L: wait_timeout L, Time`: woken by a message it is run again, and since its timer is running it
/// does not look at Time, which is gone by then. So what holds at L is what held the first time.
/// Unoptimised code gets back there by jumps, of which the first may be on no other path.
bool FunctionAnalysis::waits_here(uint64_t label) {
  uint32_t at = unit_.labels[label];
  uint64_t size = function_.end - function_.begin;
  for (uint64_t steps = 0; at != at_; steps++) {
    Instruction& in = unit_.instructions[at];
    if (in.op == Op::jump)
      at = unit_.labels[unit_.operands_of(in)[0].value];
    else if (in.op == Op::label || in.op == Op::line)
      at++;
    else
      return false;
    if (steps > size) return false;  // jumps in a circle
    if (++module_.scratch().work, !within_budget()) return false;
  }
  for (at = unit_.labels[label]; at != at_;) {
    Instruction& in = unit_.instructions[at];
    in.flags &= static_cast<uint8_t>(~Instruction::kDead);
    at = in.op == Op::jump ? unit_.labels[unit_.operands_of(in)[0].value] : at + 1;
  }
  return true;
}

bool FunctionAnalysis::check(const op::loop_rec& in) {
  const Operand& dst = in.dst();
  if (dst.type != Operand::x || dst.value != 0) return fail_operand(Rule::bad_receive, dst);
  state_.message_rejected();
  if (!collect_x(0) || !flow_to(in.fail().value)) return false;
  state_.has_message = true;
  state_.assign_x(0, {.kinds = kinds::term, .flags = ValueType::kFragile});
  return true;
}
bool FunctionAnalysis::check(const op::loop_rec_end& in) {
  if (!state_.has_message) return fail(Rule::bad_receive, "no message has been looked at");
  if (state_.may_have_moved) checked(in);
  return yield_to(in.next().value) && end();
}
bool FunctionAnalysis::check(const op::remove_message& in) {
  if (!state_.has_message) return fail(Rule::bad_receive, "no message has been looked at");
  if (state_.may_have_moved) checked(in);
  state_.message_accepted();
  return true;
}
bool FunctionAnalysis::check(const op::timeout&) {
  state_.message_rejected();
  return true;
}

bool FunctionAnalysis::check(const op::wait& in) { return yield_to(in.loop().value) && end(); }
bool FunctionAnalysis::check(const op::wait_timeout& in) {
  if (!durable(in.time()) || !may_raise()) return false;
  return waits_here(in.loop().value) ? yield() : yield_to(in.loop().value);
}

// --- markers in the queue ------------------------------------------------------------------------
bool FunctionAnalysis::check(const op::recv_mark&) { return true; }  // no operations
bool FunctionAnalysis::check(const op::recv_set&) { return true; }
/// This one and recv_marker_use move the place in the queue; this one takes signals.
bool FunctionAnalysis::check(const op::recv_marker_reserve& in) {
  state_.message_rejected();
  clear_frame();
  return take_memory() && assign(in.dst(), any_term());
}
bool FunctionAnalysis::check(const op::recv_marker_use& in) {
  state_.message_rejected();
  return durable(in.reference());
}
bool FunctionAnalysis::check(const op::recv_marker_bind& in) {
  return durable(in.marker()) && durable(in.reference());
}
bool FunctionAnalysis::check(const op::recv_marker_clear& in) { return durable(in.reference()); }

}  // namespace wb
