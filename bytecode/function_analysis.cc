#include "bytecode/function_analysis.h"

#include <algorithm>
#include <utility>

#include "bytecode/operand_text.h"

namespace wb {
namespace {

/// Bounds on time and memory, in registers looked at (a second or two) and registers stored. The
/// largest modules of OTP need a hundredth of this.
constexpr uint64_t kMaxWork = 400'000'000;
constexpr size_t kMaxStoredSlots = 16'000'000;

}  // namespace

FunctionAnalysis::FunctionAnalysis(ModuleAnalysis* module, uint32_t function)
    : module_(*module),
      unit_(module->unit()),
      index_(function),
      function_(unit_.functions[function]) {
  for (uint32_t i = function_.begin; i < function_.end; i++) {
    const Instruction& in = unit_.instructions[i];
    if (in.op != Op::label) continue;
    module_.local_label(unit_.operands_of(in)[0].value) = static_cast<uint32_t>(labels_.size());
    labels_.push_back({i, Op::none});
  }
  stored_.resize(labels_.size());
  dirty_.resize(labels_.size());
  for (size_t n = labels_.size(); n-- > 0;) {
    uint32_t at = labels_[n].at + 1;
    while (unit_.instructions[at].op == Op::line) at++;
    const Op op = unit_.instructions[at].op;
    labels_[n].first = op == Op::label ? labels_[n + 1].first : op;
  }
  module_.scratch().dirty.clear();
  module_.scratch().work += function_.end - function_.begin;
}

std::optional<LoadError> FunctionAnalysis::run() {
  const FunctionSummary& summary = module_.summary(index_);
  for (uint32_t i = 0; i < function_.arity; i++) state_.assign_x(i, summary.arguments[i]);
  at_ = function_.func_info;
  if (!flow_to(function_.entry_label)) return error_;
  edges_.clear();
  while (!module_.scratch().dirty.empty()) {
    if (!block(take_lowest_dirty())) return error_;
  }
  if (clear_frames_) mark_allocations();
  if (has_endless_loop()) return error_;
  return {};
}

/// The frames of this function must be cleared when they are made.
void FunctionAnalysis::mark_allocations() {
  for (uint32_t i = function_.begin; i < function_.end; i++) {
    Instruction& in = unit_.instructions[i];
    if (in.op == Op::allocate || in.op == Op::allocate_heap) in.flags |= Instruction::kChecked;
  }
}

void FunctionAnalysis::mark_dirty(uint32_t local_label) {
  if (dirty_[local_label]) return;
  dirty_[local_label] = true;
  std::vector<uint32_t>& queue = module_.scratch().dirty;
  queue.push_back(local_label);
  std::ranges::push_heap(queue, std::greater{});
}

uint32_t FunctionAnalysis::take_lowest_dirty() {
  std::vector<uint32_t>& queue = module_.scratch().dirty;
  std::ranges::pop_heap(queue, std::greater{});
  const uint32_t lowest = queue.back();
  queue.pop_back();
  dirty_[lowest] = false;
  return lowest;
}

/// From a label to the next, or to where control ends.
bool FunctionAnalysis::block(uint32_t local_label) {
  from_ = local_label;
  state_ = *stored_[local_label];
  ended_ = false;
  at_ = labels_[local_label].at;
  unit_.instructions[at_].flags &= static_cast<uint8_t>(~Instruction::kDead);
  const bool ok = run_block();
  // So many operands at most: lines and lists count, too.
  module_.scratch().work +=
      unit_.instructions[at_].offset - unit_.instructions[labels_[local_label].at].offset;
  return ok;
}

bool FunctionAnalysis::run_block() {
  for (at_++; at_ < function_.end; at_++) {
    Instruction& in = unit_.instructions[at_];
    if (in.op == Op::label) return fall_into(unit_.operands_of(in)[0].value);
    in.flags &= static_cast<uint8_t>(~Instruction::kDead);
    if (!step()) return false;
    if (ended_) return true;
  }
  at_ = function_.end - 1;
  return fail(Rule::falls_through);
}

/// Control runs into a label. A try_case is reached by exceptions only: the compiler lets a call
/// run into one where it knows that the call does not return, for reasons a file does not tell.
bool FunctionAnalysis::fall_into(uint64_t label) {
  if (first_at(label) != Op::try_case || state_.raised) return flow_to(label);
  uint32_t last = at_ - 1;
  while (unit_.instructions[last].op == Op::line) last--;
  unit_.instructions[last].flags |= Instruction::kNoReturn;
  return true;
}

bool FunctionAnalysis::jump_to(uint64_t label) {
  if (first_at(label) != Op::try_case) return flow_to(label);
  unit_.instructions[at_].flags |= Instruction::kNoReturn;
  return true;
}

bool FunctionAnalysis::flow_to(uint64_t label, const FlowState& state) {
  if (!state.raised && first_at(label) == Op::try_case)
    return fail(Rule::bad_catch, "leads to a try_case");
  uint32_t local = module_.local_label(label);
  if (label == function_.entry_label && at_ != function_.func_info)
    unit_.instructions[labels_[local].at].flags |= Instruction::kChecked;
  if (!resuming_) edges_.emplace_back(from_, local);
  std::unique_ptr<FlowState>& stored = stored_[local];
  size_t slots = state.x().size() + state.y().size();
  module_.scratch().work += 16 + slots;
  if (!stored) stored_slots_ += slots;
  if (!within_budget()) return false;
  bool changed = true;
  if (!stored) {
    stored = std::make_unique<FlowState>(state);
    stored->canonicalize(&module_.scratch());
  } else if (!merge(label, stored.get(), state, &changed)) {
    return false;
  }
  if (!changed) return true;
  mark_dirty(local);
  return true;
}

/// Joins `state` into what is known at a label, after what they must agree in has been settled.
bool FunctionAnalysis::merge(uint64_t label, FlowState* stored, const FlowState& state,
                             bool* changed) {
  bool frames = stored->frame() == state.frame() && stored->y().size() == state.y().size() &&
                !stored->tags_differ(state);
  bool messages = stored->has_message == state.has_message;
  if (frames && messages) {
    *changed = stored->join_with(state, &module_.scratch());
  } else {
    FlowState incoming = state;
    uint32_t frame = stored->frame();
    size_t y = stored->y().size();
    bool message = stored->has_message;
    if (!messages) {
      stored->message_rejected();
      incoming.message_rejected();
    }
    size_t common_y = std::min(incoming.y().size(), stored->y().size());
    if (!frames && !merge_frames(label, stored, &incoming, common_y)) return false;
    *changed =
        stored->has_message != message || stored->frame() != frame || stored->y().size() != y;
    *changed |= stored->join_with(incoming, &module_.scratch());
    // What led on from here with the frame as it was known so far; the block is gone through again.
    if (!frames && *changed)
      std::erase_if(edges_, [&](auto edge) { return edge.first == module_.local_label(label); });
  }
  return true;
}

/// Frames differ, or the catches in them: from here on nothing is known of them. So what may become
/// of each is settled now: a collection must find its registers initialised, an exception goes to
/// its catch.
bool FunctionAnalysis::merge_frames(uint64_t label, FlowState* stored, FlowState* incoming,
                                    size_t common_y) {
  // A handler that catches for frames of different sizes is no honest one, and would lead back
  // here.
  if (merging_frames_) return fail(Rule::frame_mismatch, "at L" + std::to_string(label));
  merging_frames_ = true;
  bool settled = settle(label, *incoming, {from_}) &&
                 settle(label, *stored, others_to(module_.local_label(label)));
  merging_frames_ = false;
  for (const FlowState* side : {incoming, stored}) {
    for (size_t y = common_y; y < side->y().size(); y++) {  // nobody will know that it is lost
      if (side->y()[y].type.fragile())
        return fail(Rule::bad_receive,
                    "y" + std::to_string(y) + " is part of a queued message where frames differ");
    }
  }
  incoming->forget_frame(common_y);
  stored->forget_frame(common_y);
  return settled;
}

/// The blocks that lead to `local`, but for the one we are in.
std::vector<uint32_t> FunctionAnalysis::others_to(uint32_t local) const {
  module_.scratch().work += edges_.size();
  std::vector<uint32_t> others;
  for (auto [from, to] : edges_)
    if (to == local && from != from_) others.push_back(from);
  if (others.empty()) others.push_back(from_);
  return others;
}

/// An exception at `label`, reached with `state` from these blocks, is one in each of them.
bool FunctionAnalysis::settle(uint64_t label, const FlowState& state,
                              const std::vector<uint32_t>& blocks) {
  if (!state.has_frame()) return true;
  if (state.uninitialized_y() != kNoFrame)
    return fail(Rule::frame_mismatch, "at L" + std::to_string(label));
  uint32_t from = from_;
  bool resuming = std::exchange(resuming_, false);
  for (uint32_t block : blocks) {
    from_ = block;
    if (!may_raise(state)) return false;
  }
  from_ = from;
  resuming_ = resuming;
  return true;
}

bool FunctionAnalysis::fail_to(const Operand& label) {
  return label.value ? flow_to(label.value) : may_raise();
}

/// An exception here would continue at the innermost catch or try of this frame, if there is one.
bool FunctionAnalysis::may_raise(const FlowState& state) {
  if (!state.has_frame()) return true;
  uint32_t empty = state.uninitialized_y();
  if (empty != kNoFrame) return fail(Rule::uninitialized, "y" + std::to_string(empty));
  uint32_t y = state.innermost_tag();
  if (y == kNoFrame) return true;
  ValueType tag = state.y()[y].type;
  FlowState handler = state;
  handler.yielded();
  handler.raised = true;
  if (tag.kinds == kinds::catch_tag) handler.assign_x(0, any_term());
  return flow_to(tag.value, handler);
}

/// Only a call, and a receive that waits or goes on to the next message, count reductions and let
/// others run. Erlang has no loops but those of receive; any other would keep the scheduler's
/// thread for ever, and not even a kill would end it.
bool FunctionAnalysis::has_endless_loop() {
  std::ranges::sort(edges_);
  edges_.erase(std::ranges::unique(edges_).begin(), edges_.end());
  std::vector<uint32_t> entries(labels_.size()), free_labels;
  for (auto [from, to] : edges_) entries[to]++;
  for (uint32_t i = 0; i < labels_.size(); i++)
    if (entries[i] == 0) free_labels.push_back(i);
  size_t left = labels_.size();
  for (; !free_labels.empty(); left--) {
    uint32_t from = free_labels.back();
    free_labels.pop_back();
    auto edge = std::ranges::lower_bound(edges_, std::pair{from, uint32_t{0}});
    for (; edge != edges_.end() && edge->first == from; ++edge)
      if (--entries[edge->second] == 0) free_labels.push_back(edge->second);
  }
  if (left == 0) return false;
  at_ =
      labels_[std::ranges::find_if(entries, [](uint32_t n) { return n > 0; }) - entries.begin()].at;
  return !fail(Rule::endless_loop);
}

bool FunctionAnalysis::within_budget() {
  return (module_.scratch().work <= kMaxWork && stored_slots_ <= kMaxStoredSlots) ||
         fail(Rule::too_complex);
}

bool FunctionAnalysis::fail(Rule rule, std::string text) {
  if (!error_) error_ = code_error(unit_, rule, at_, std::move(text));
  return false;
}

bool FunctionAnalysis::fail_operand(Rule rule, const Operand& o, const char* what) {
  std::string text = operand_text(unit_, o, 's');
  if (what) text += std::string(" ") + what;
  return fail(rule, std::move(text));
}

bool FunctionAnalysis::step() {
  const Instruction& in = unit_.instructions[at_];
  Operands o = unit_.operands_of(in);
  if (in.op == Op::line) return true;
  module_.scratch().work += 4 + state_.bytes() / 256;
  module_.observe(at_, state_);
  was_raised_ = state_.raised;
  state_.raised = false;
  if (op_has(in.op, kObsolete)) return fail(Rule::bad_opcode);
  return visit_op<bool>(in, o, [this](const auto& known) { return check(known); });
}

// What has a place and no meaning for types.
bool FunctionAnalysis::check(const op::label&) { return true; }  // block() stops there
bool FunctionAnalysis::check(const op::line&) { return true; }
bool FunctionAnalysis::check(const op::int_code_end&) { return fail(Rule::bad_opcode); }
bool FunctionAnalysis::check(const op::nif_start&) { return true; }
bool FunctionAnalysis::check(const op::executable_line&) { return true; }
bool FunctionAnalysis::check(const op::debug_line&) { return true; }
bool FunctionAnalysis::check(const op::on_load&) {
  return function_.arity == 0 || fail(Rule::bad_arity, "on_load takes no arguments");
}

}  // namespace wb
