// What every family asks of operands, frame and heap.
#include <algorithm>

#include "bytecode/function_analysis.h"
#include "bytecode/operand_text.h"

namespace wb {

ValueType FunctionAnalysis::type_of(const Operand& o) const {
  ValueType t;
  switch (o.type) {
    case Operand::x:
    case Operand::y:
      return state_.type(o);
    case Operand::i:
      t = constant_type(o.int_value());
      break;
    case Operand::big:
      t = wb::type_of(kinds::integer);
      break;
    case Operand::atom:
      t = wb::type_of(kinds::atom);
      break;
    case Operand::nil:
      t = wb::type_of(kinds::nil);
      break;
    case Operand::literal:
      t = module_.literal_type(o.value);
      break;
    default:
      return {};
  }
  t.flags |= ValueType::kConstant;
  return t;
}

bool FunctionAnalysis::readable(const Operand& o) {
  if (!state_.has_slot(o)) return fail_operand(Rule::register_range, o, "is outside the frame");
  ValueType t = type_of(o);
  if (t.kinds == kinds::lost)
    return fail_operand(Rule::bad_receive, o, "held a queued message, or on another path a catch");
  if (!t.exists()) {
    return o.is_register() ? fail_operand(Rule::uninitialized, o)
                           : fail_operand(Rule::operand_kind, o);
  }
  return !(t.kinds & kinds::tag) || fail_operand(Rule::bad_catch, o, "holds a catch");
}

bool FunctionAnalysis::term(const Operand& o) {
  if (!readable(o)) return false;
  return !(type_of(o).kinds & kinds::context) ||
         fail_operand(Rule::bad_type, o, "may be a match context");
}

bool FunctionAnalysis::durable(const Operand& o) {
  if (!term(o)) return false;
  return !type_of(o).fragile() || fail_operand(Rule::bad_receive, o, "is part of a queued message");
}

bool FunctionAnalysis::contains(Operands parts, ValueType* whole) {
  for (const Operand& o : parts) {
    if (!term(o)) return false;
    *whole = part_of(o, *whole);
  }
  return true;
}

bool FunctionAnalysis::x_durable(uint64_t count) {
  Operand o;
  o.type = Operand::x;
  for (o.value = 0; o.value < count; o.value++)
    if (!durable(o)) return false;
  return true;
}

bool FunctionAnalysis::fragile_x(uint64_t count) const {
  auto n = static_cast<uint32_t>(std::min<uint64_t>(count, kMaxRegisters));
  for (uint32_t i = 0; i < n; i++)
    if (state_.x_type(i).fragile()) return true;
  return false;
}

bool FunctionAnalysis::writable(const Operand& o) {
  if (o.type == Operand::y && !some_frame()) return false;
  if (!state_.has_slot(o)) return fail_operand(Rule::register_range, o, "is outside the frame");
  return !(state_.type(o).kinds & kinds::tag) || fail_operand(Rule::bad_catch, o, "holds a catch");
}

bool FunctionAnalysis::assign(const Operand& o, ValueType type) {
  if (!writable(o)) return false;
  state_.assign(o, type);
  return true;
}

ValueType FunctionAnalysis::part_of(const Operand& whole, ValueType type) const {
  type.flags |= type_of(whole).flags & ValueType::kFragile;
  return type;
}

void FunctionAnalysis::learn(const Operand& o, ValueType type) {
  if (!o.is_register() || !state_.type(o).exists()) return;
  ValueType both = meet(state_.type(o), type);
  if (both.exists())
    state_.refine(o, both);
  else
    ended_ = true;
}

bool FunctionAnalysis::y_ready() {
  uint32_t y = state_.uninitialized_y();
  if (y == kNoFrame) return true;
  bool lost = state_.y()[y].type.kinds == kinds::lost;
  return fail(lost ? Rule::bad_receive : Rule::uninitialized, "y" + std::to_string(y));
}

/// Where the compiler leaves y registers uninitialised and we need them, the frame must be cleared
/// when it is made.
void FunctionAnalysis::clear_frame() {
  if (state_.uninitialized_y() == kNoFrame) return;
  clear_frames_ = true;
  state_.frame_was_cleared();
}

bool FunctionAnalysis::live(const Operand& count) {
  for (uint32_t i = 0; i < count.value; i++)
    if (!state_.x_type(i).exists())
      return fail(Rule::bad_live, "x" + std::to_string(i) + " of " + std::to_string(count.value));
  return true;
}

/// What a collection does not keep cannot be an operand of the instruction that may collect, unless
/// it is nothing a collection moves, or the size of a binary, which is read before.
bool FunctionAnalysis::sources_survive(uint64_t live) {
  const Instruction& in = unit_.instructions[at_];
  Operands operands = unit_.operands_of(in);
  std::string_view letters = op_info(in.op).operands;
  if (letters.find('t') == std::string_view::npos) return true;  // it reads before it waits
  bool size_first = in.op == Op::bs_init2 || in.op == Op::bs_init_bits || in.op == Op::bs_append;
  auto survives = [&](const Operand& o) {
    if (o.type != Operand::x || o.value < live) return true;
    ValueType t = state_.type(o);
    if (size_first && &o == &operands[1] && t.only(kinds::integer)) return true;
    return (t.flags & ValueType::kConstant) || t.only(kinds::atom | kinds::nil) ||
           fail_operand(Rule::bad_live, o, "is not kept");
  };
  for (size_t i = 0; i < operands.size(); i++) {
    char letter = letters[i];
    bool source = letter == 's' || letter == 'S' || letter == 'b';
    if (source && !survives(operands[i])) return false;
    if (letter != 'z') continue;
    for (const Operand& o : unit_.list_of(operands[i]))
      if (!survives(o)) return false;
  }
  return true;
}

bool FunctionAnalysis::collect(const Operand& count) {
  if (!y_ready() || !live(count) || !sources_survive(count.value)) return false;
  state_.collected(static_cast<uint32_t>(std::min<uint64_t>(count.value, kMaxRegisters)));
  return true;
}

/// Takes memory as it comes, without a live count: nothing is collected, but what was reserved may
/// be gone.
bool FunctionAnalysis::take_memory() {
  if (!y_ready()) return false;
  state_.collected(kMaxRegisters);
  return true;
}

/// What is part of a queued message may not wait in y registers until the process goes on: who runs
/// in between may collect, and nobody would know whose it is.
bool FunctionAnalysis::yield() {
  if (state_.has_message) state_.message_rejected();
  if (!y_ready()) return false;
  state_.yielded();
  return true;
}

bool FunctionAnalysis::collect_x(uint64_t count) {
  Operand o;
  o.value = count;
  return collect(o);
}

bool FunctionAnalysis::take_heap(uint64_t words, uint32_t floats, uint32_t funs) {
  HeapNeed& h = state_.heap;
  if (words > h.words || floats > h.floats || funs > h.funs)
    return fail(Rule::not_enough_heap, "needs " + std::to_string(words) + " words, " +
                                           std::to_string(h.words) + " are left");
  h.words -= static_cast<uint32_t>(words);
  h.floats -= floats;
  h.funs -= funs;
  return true;
}

bool FunctionAnalysis::frame_is(uint64_t size) {
  if (!state_.has_frame()) return fail(Rule::bad_frame, "there is none");
  if (state_.frame() != size)
    return fail(Rule::bad_frame, "it has " + std::to_string(state_.frame()) + " registers");
  return state_.innermost_tag() == kNoFrame ||
         fail(Rule::bad_catch, "a catch is still in the frame");
}

bool FunctionAnalysis::no_frame() {
  return state_.frame() == kNoFrame || fail(Rule::bad_frame, "there is one");
}

bool FunctionAnalysis::some_frame() {
  return state_.has_frame() || fail(Rule::bad_frame, "there is none");
}

}  // namespace wb
