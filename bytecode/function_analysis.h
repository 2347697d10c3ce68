// One function, run on types (see validate.h): the worklist over its labels, and what each
// instruction demands of the state and does to it (check_*.cc, one file a family).
//
// Each check_* method examines the instruction at hand and updates state_; false: refused, and the
// error is set. end() says that control does not go on to the next instruction.
#pragma once

#include <memory>
#include <optional>

#include "bytecode/module_analysis.h"

namespace wb {

class FunctionAnalysis {
 public:
  FunctionAnalysis(ModuleAnalysis* module, uint32_t function);
  std::optional<LoadError> run();

 private:
  using Operands = std::span<const Operand>;

  // --- control flow (function_analysis.cc) -------------------------------------------------------
  bool block(uint32_t local_label);
  bool step();
  bool within_budget();
  bool has_endless_loop();
  /// Lets others run, and then goes on at `label`.
  bool yield_to(uint64_t label) {
    if (!yield()) return false;
    resuming_ = true;
    bool ok = flow_to(label);
    resuming_ = false;
    return ok;
  }
  bool flow_to(uint64_t label) { return flow_to(label, state_); }
  bool flow_to(uint64_t label, const FlowState& state);
  bool merge(uint64_t label, FlowState* stored, const FlowState& state, bool* changed);
  bool merge_frames(uint64_t label, FlowState* stored, FlowState* incoming, size_t common_y);
  std::vector<uint32_t> others_to(uint32_t local) const;
  bool settle(uint64_t label, const FlowState& state, const std::vector<uint32_t>& blocks);
  bool fall_into(uint64_t label);
  bool jump_to(uint64_t label);
  Op first_at(uint64_t label) const;
  void mark_allocations();
  /// A failure goes to this label, or is raised.
  bool fail_to(const Operand& label);
  bool may_raise() { return may_raise(state_); }
  bool may_raise(const FlowState& state);
  bool end() {
    ended_ = true;
    return true;
  }

  // --- refusing ----------------------------------------------------------------------------------
  bool fail(Rule rule, std::string text = {});
  bool fail_operand(Rule rule, const Operand& o, const char* what = nullptr);
  /// The loader must emit the variant that looks first.
  bool checked() {
    unit_.instructions[at_].flags |= Instruction::kChecked;
    return true;
  }

  // --- operands (operand_checks.cc) --------------------------------------------------------------
  ValueType type_of(const Operand& o) const;
  /// Holds something that may be read (a match context included).
  bool readable(const Operand& o);
  /// ... that is an Erlang term.
  bool term(const Operand& o);
  /// ... that may be stored, sent or passed on.
  bool durable(const Operand& o);
  /// All are terms. A term built from parts of a message under inspection belongs to it, too.
  bool contains(Operands parts, ValueType* whole);
  bool x_durable(uint64_t count);  // x0..x(count-1)
  bool fragile_x(uint64_t count) const;
  bool writable(const Operand& o);
  bool assign(const Operand& o, ValueType type);
  /// What is taken out of a message under inspection belongs to it.
  ValueType part_of(const Operand& whole, ValueType type = any_term()) const;
  /// From here on the value is known to be of `type`; if that cannot be, control never gets here.
  void learn(const Operand& o, ValueType type);
  /// The value must be of these kinds, or the instruction is marked.
  bool expect(const Operand& o, Kinds k);

  // --- frame, heap, collection -------------------------------------------------------------------
  bool y_ready();
  void clear_frame();
  bool live(const Operand& count);
  bool sources_survive(uint64_t live);
  bool collect(const Operand& count);
  bool collect_x(uint64_t count);
  bool take_memory();
  bool yield();
  bool take_heap(uint64_t words, uint32_t floats = 0, uint32_t funs = 0);
  bool frame_is(uint64_t size);
  bool no_frame();
  bool some_frame();

  // --- families ----------------------------------------------------------------------------------
  bool check_frame(Op op, Operands o);  // allocate, trim, test_heap, deallocate ...
  bool check_allocate(Op op, Operands o);
  bool check_calls(Op op, Operands o);  // call, call_ext, call_fun, apply, return ...
  bool local_call(Operands o, bool tail);
  bool external_call(Operands o, bool tail);
  bool call_result(ValueType result);
  bool call_fun(uint64_t arity);
  ValueType result_of(const BeamImport& import) const;
  bool check_data(Op op, Operands o);  // move, lists, tuples, funs, literals
  bool check_tuple_update(Operands o);
  bool check_make_fun(Operands o);
  bool check_maps(Op op, Operands o);
  bool check_get_map_elements(Operands o);
  bool check_branches(Op op, Operands o);  // type tests, comparisons, select, jump
  bool type_test(Operands o, Kinds k, bool exact);
  bool equality(Operands o, bool equal);
  bool check_select_val(Operands o);
  bool check_select_arity(Operands o);
  bool branch(const Operand& o, ValueType type, uint64_t label);
  bool check_bifs(Op op, Operands o);  // bif0..2, gc_bif1..3
  bool may_fail(const GuardBif& bif, Operands arguments) const;
  bool bif_fails(const Operand& label);
  bool check_floats(Op op, Operands o);
  bool check_exceptions(Op op, Operands o);  // catch, try, raise, badmatch ...
  bool enter_catch(Operands o, Kinds tag);
  bool leave_catch(const Operand& y, Kinds tag);
  bool check_receive(Op op, Operands o);
  bool waits_here(uint64_t label);
  bool check_matching(Op op, Operands o);  // bs_start_match .. bs_match_string
  bool context(const Operand& o);
  bool get_bits(Operands o, ValueType result);
  bool bit_unit(const Operand& unit);
  bool string_range(uint64_t offset, uint64_t bytes);
  struct Matching;
  bool check_match_commands(Operands o);
  bool check_command(Operands command, Operands o, Matching* m);
  bool match_flags(const Operand& list);
  bool check_construction(Op op, Operands o);  // bs_create_bin and the older steps
  bool check_create_bin(Operands o);

  ModuleAnalysis& module_;
  CodeUnit& unit_;
  const uint32_t index_;
  const CodeFunction& function_;
  uint32_t at_ = 0;  // instruction at hand

  FlowState state_;
  bool ended_ = false;
  bool was_raised_ = false;  // state_.raised before this instruction

  std::vector<uint32_t> labels_;                    // instructions that are labels, ascending
  std::vector<std::unique_ptr<FlowState>> stored_;  // what is known at each; null: not reached
  std::vector<bool> dirty_;
  size_t next_dirty_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> edges_;  // from label to label, no other runs between
  uint32_t from_ = 0;                                 // label of the block at hand
  bool resuming_ = false;
  size_t stored_slots_ = 0;
  bool merging_frames_ = false;
  bool clear_frames_ = false;
  std::optional<LoadError> error_;
};

}  // namespace wb
