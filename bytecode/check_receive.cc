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
    if (steps > size || at >= function_.end) return false;  // jumps in a circle
    if (++module_.scratch().work, !within_budget()) return false;
  }
  for (at = unit_.labels[label]; at != at_;) {
    Instruction& in = unit_.instructions[at];
    in.flags &= static_cast<uint8_t>(~Instruction::kDead);
    at = in.op == Op::jump ? unit_.labels[unit_.operands_of(in)[0].value] : at + 1;
  }
  return true;
}

bool FunctionAnalysis::check_receive(Op op, Operands o) {
  switch (op) {
    case Op::loop_rec:
      if (o[1].type != Operand::x || o[1].value != 0) return fail_operand(Rule::bad_receive, o[1]);
      state_.message_rejected();
      if (!collect_x(0) || !flow_to(o[0].value)) return false;
      state_.has_message = true;
      state_.assign_x(0, {.kinds = kinds::term, .flags = ValueType::kFragile});
      return true;
    case Op::loop_rec_end:
      if (!state_.has_message) return fail(Rule::bad_receive, "no message has been looked at");
      if (state_.may_have_moved) checked();
      return yield_to(o[0].value) && end();
    case Op::remove_message:
      if (!state_.has_message) return fail(Rule::bad_receive, "no message has been looked at");
      if (state_.may_have_moved) checked();
      state_.message_accepted();
      return true;
    case Op::timeout:
      state_.message_rejected();
      return true;
    case Op::wait:
      return yield_to(o[0].value) && end();
    case Op::wait_timeout:
      if (!durable(o[1]) || !may_raise()) return false;
      return waits_here(o[0].value) ? yield() : yield_to(o[0].value);
    case Op::recv_marker_reserve:  // these two move the place in the queue; this one takes signals
      state_.message_rejected();
      clear_frame();
      return take_memory() && assign(o[0], any_term());
    case Op::recv_marker_use:
      state_.message_rejected();
      return durable(o[0]);
    case Op::recv_marker_bind:
      return durable(o[0]) && durable(o[1]);
    case Op::recv_marker_clear:
      return durable(o[0]);
    default:
      return true;  // recv_mark, recv_set: no operation
  }
}

}  // namespace wb
