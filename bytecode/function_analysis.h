// One function, run on types (see validate.h): the worklist over its labels, and what each
// instruction demands of the state and does to it (check_*.cc, one file a family).
//
// check() of an instruction examines it and updates state_; false: refused, and the error is set.
// opcodes.def declares them all: an instruction without one does not link. end() says that control
// does not go on to the next instruction.
#pragma once

#include <memory>
#include <optional>

#include "bytecode/module_analysis.h"
#include "bytecode/operations.h"

namespace wb {

class FunctionAnalysis {
 public:
  FunctionAnalysis(ModuleAnalysis* module, uint32_t function);
  std::optional<LoadError> run();

 private:
  using Operands = op::Operands;

  // --- control flow (function_analysis.cc) -------------------------------------------------------
  bool block(uint32_t local_label);
  bool run_block();
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
  Op first_at(uint64_t label) const { return labels_[module_.local_label(label)].first; }
  void mark_dirty(uint32_t local_label);
  uint32_t take_lowest_dirty();
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
  template <class I>
  bool checked(const I&) {
    static_assert(I::kCheck != Check::none, "opcodes.def does not say how to look");
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
  template <class I>
  bool expect(const I& in, const Operand& o, Kinds k) {
    return type_of(o).only(k) || checked(in);
  }

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

  // --- what each instruction demands and does (check_*.cc, one file a family) --------------------
#define OP(number, name, operands, since, until, attributes) bool check(const op::name& in);
#include "bytecode/opcodes.def"

  bool allocate(const Operand& slots, const Operand& live, ValueType filled);
  bool local_call(const Operand& arity, const Operand& entry, bool tail);
  bool external_call(const Operand& arity, const Operand& function, bool tail);
  bool call_result(ValueType result);
  ValueType result_of(const BeamImport& import) const;
  template <class I>
  bool list(const I& in, ValueType* part);
  template <class I>
  bool put_pairs(const I& in, ValueType* result);
  bool field_pairs(Operands pairs);
  bool record_id(const Operand& id);
  enum class Passes : uint8_t { exactly, some };
  bool type_test(const Operand& value, const Operand& fail, Kinds k, Passes which);
  bool equality(const Operand& a, const Operand& b, const Operand& fail, bool equal);
  bool branch(const Operand& o, ValueType type, uint64_t label);
  bool bif(const Operand* fail_label, const Operand* live, const Operand& import,
           Operands arguments, const Operand& dst);
  bool may_fail(const GuardBif& bif, Operands arguments) const;
  bool bif_fails(const Operand& label);
  bool has_float(const Operand& fr);
  bool fill_float(const Operand& fr);
  bool float_operator(const Operand& fail, Operands sources, const Operand& dst);
  bool enter_catch(const Operand& slot, const Operand& handler, Kinds tag);
  bool leave_catch(const Operand& slot, Kinds tag);
  bool waits_here(uint64_t label);
  template <class I>
  bool context(const I& in);
  template <class I>
  bool get_bits(const I& in, ValueType result);
  bool bit_unit(const Operand& unit);
  bool bit_flags_are_known(const Operand& flags);
  bool string_range(uint64_t offset, uint64_t bytes);
  struct Matching;
  bool match_command(Operands command, const op::bs_match& in, Matching* m);
  bool collect_in_match(const Operand& live, const Operand& context);
  bool match_operands(Operands command, const char* letters);
  bool list_of_flags(const Operand& list);
  bool begin_binary(const Operand& dst);
  bool goes_into_binary();
  template <class I>
  bool init_binary(const I& in);
  bool segment(Operands s, size_t index);

  ModuleAnalysis& module_;
  CodeUnit& unit_;
  const uint32_t index_;
  const CodeFunction& function_;
  uint32_t at_ = 0;  // instruction at hand

  FlowState state_;
  bool ended_ = false;
  bool was_raised_ = false;  // state_.raised before this instruction

  struct Label {
    uint32_t at;  // the instruction
    Op first;     // the first behind it that is neither label nor line
  };
  std::vector<Label> labels_;                       // ascending
  std::vector<std::unique_ptr<FlowState>> stored_;  // what is known at each; null: not reached
  std::vector<bool> dirty_;
  std::vector<std::pair<uint32_t, uint32_t>> edges_;  // from label to label, no other runs between
  uint32_t from_ = 0;                                 // label of the block at hand
  bool resuming_ = false;
  size_t stored_slots_ = 0;
  bool merging_frames_ = false;
  bool clear_frames_ = false;
  std::optional<LoadError> error_;
};

}  // namespace wb
