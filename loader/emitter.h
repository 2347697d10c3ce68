// The emitter's workings: a word buffer with labels, and emit() for each generic instruction.
//
// An instruction needs an emit() of its own only if it is not the loaded one of its name, with
// operands of the same names (same_operands.h); without either it does not compile.
#pragma once

#include <initializer_list>
#include <vector>

#include "bytecode/operations.h"
#include "bytecode/register_reference.h"
#include "loader/beliefs.h"
#include "loader/code.h"
#include "loader/code_table.h"
#include "loader/relocations.h"
#include "loader/same_operands.h"

namespace wb {

class Emitter {
 public:
  Emitter(CodeTable& table, const BeamFile& file, const CodeUnit& unit, Module& module,
          Beliefs* believed, Relocations* relocations)
      : table_(table),
        file_(file),
        unit_(unit),
        module_(module),
        believed_(believed),
        noted_(relocations) {}
  bool run(std::string* why);

 private:
  using Ops = op::Operands;

  // --- words -------------------------------------------------------------------------------------
  void word(Word w) { code_.push_back(w); }
  uint32_t here() const { return static_cast<uint32_t>(code_.size()); }
  /// The next word is written anew when the code comes out of an image.
  void note(Relocation kind, uint64_t value) {
    if (noted_) noted_->add(kind, here(), value);
  }
  void handler_word(unsigned index) {
    note(Relocation::handler, index);
    word(table_.handlers()[index]);
  }
  void handler(unsigned index) {
    module_.instructions.push_back(static_cast<uint16_t>(index));
    handler_word(index);
  }
  void term(Term t) {
    if (noted_) noted_->add_term(here(), t);
    word(t);
  }
  void export_word(const Export* e);
  void lambda_word(const BeamLambda& l);
  void string_word(uint64_t offset);
  void sorted_cases(size_t count);
  void plain(Instr i) { handler(info_of(i).first_handler); }
  /// An instruction specialised for these operands (as many as its shape says), with their words.
  void special(Instr i, std::initializer_list<Operand> operands) {
    special(i, Ops(operands.begin(), operands.size()));
  }
  void special(Instr i, Ops operands);
  void label(const Operand& f);
  void called_label(const Operand& f);
  void continuation();  ///< `c` operand: must be the instruction's last word
  void align_continuation();

  // --- operands ----------------------------------------------------------------------------------
  Term constant(const Operand& o);
  void dyn(const Operand& o);
  void number(const Operand& o) { word(o.value); }
  Word heap_words(const Operand& o) const;
  Export* import(const Operand& o);
  FunEntry* lambda(const BeamLambda& l);
  static Word segment_flags(Term list);

  // --- instructions ------------------------------------------------------------------------------
  void check_state(uint32_t instruction);
  void instruction(const Instruction& in);
  size_t fused(size_t k);  ///< emits instructions k.. as one; how many, 0: none
  /// What the validator could not prove is looked at first.
  template <class I>
  void check(const I& in);
  void check_that(Instr i, const Operand& o);
  void check_that(Instr i, const Operand& o, Word n);
  /// The loaded instruction `i`, whose operands have the names of the generic one's.
  template <Instr i, class I>
  void emit_as(const I& in) {
    static constexpr OperandPlan kPlan = plan_operands(I::kOp, i);
    static_assert(kPlan.complete, "needs an emit() of its own: operands have other names or kinds");
    copy_operands(kPlan, in.all);
  }
  void copy_operands(const OperandPlan& plan, Ops generic);
  template <class I>
  void emit(const I& in) {
    if constexpr (!I::kIsNoOperation) emit_as<loaded_of(I::kOp)>(in);
  }

  // control (emit_control.cc)
  void emit(const op::label& in);
  void emit(const op::line& in);
  void emit(const op::func_info& in);
  void emit(const op::on_load& in);
  void emit(const op::call_ext& in);
  void emit(const op::call_ext_only& in);
  void emit(const op::call_ext_last& in);
  void emit(const op::make_fun2& in);
  void emit(const op::make_fun3& in) { emit_as<Instr::make_fun>(in); }
  void emit(const op::select_val& in);
  void emit(const op::select_tuple_arity& in);
  void emit(const op::try_& in) { emit_as<Instr::catch_>(in); }
  void emit(const op::remove_message& in);
  void call_bif(Export* e);
  bool is_replaceable(const op::func_info& in) const;
  bool apply(Export* e);
  bool apply_last(Export* e, Word slots);
  bool is_tail_call(const Instruction& in);
  void call_without_return(Ops o);

  // values (emit_values.cc)
  void emit(const op::get_tuple_element& in);
  void emit(const op::set_tuple_element& in);
  void emit(const op::put_tuple2& in) { emit_as<Instr::put_tuple>(in); }
  void emit(const op::update_record& in);
  void emit(const op::init_yregs& in);
  void emit(const op::init& in);
  void emit(const op::allocate& in) {
    allocate(in.slots(), nullptr, in.live(), in.instruction.checked());
  }
  void emit(const op::allocate_heap& in) {
    allocate(in.slots(), &in.heap(), in.live(), in.instruction.checked());
  }
  void emit(const op::allocate_zero& in) { allocate(in.slots(), nullptr, in.live(), true); }
  void emit(const op::allocate_heap_zero& in) { allocate(in.slots(), &in.heap(), in.live(), true); }
  void allocate(const Operand& slots, const Operand* heap, const Operand& live, bool clear);
  void emit(const op::test_arity& in);
  void emit(const op::is_tagged_tuple& in);
  void emit(const op::fmove& in);
  void emit(const op::fnegate& in);
  void emit(const op::put_map_assoc& in);
  void emit(const op::get_map_elements& in);
  bool map_elements(const op::get_map_elements& in);
  void emit(const op::is_record_accessible& in);
  void emit(const op::put_record& in);
  Term map_with_keys(const Operand& source, const Operand& pairs);
  void put_pairs_in_order(const Operand& pairs, Term map);

  // guard BIFs (emit_bifs.cc)
  void emit(const op::bif0& in);
  void emit(const op::bif1& in);
  void emit(const op::bif2& in);
  void emit(const op::bif3& in);
  void emit(const op::gc_bif1& in);
  void emit(const op::gc_bif2& in);
  void emit(const op::gc_bif3& in);
  void guard_bif(Instr i, Export* e, Ops args, const Operand& dst, const Operand& fail,
                 const Operand* live);
  bool atom_of_binary(const op::gc_bif1& in);
  void bif_body(const Export* e);
  bool own_bif(Export* e, Ops args, const Operand& dst, const Operand& fail, const Operand* live);

  // bit strings (emit_bits.cc)
  void emit(const op::bs_start_match3& in);
  void emit(const op::bs_start_match4& in);
  void emit(const op::bs_get_integer2& in);
  void emit(const op::bs_get_float2& in) { emit_as<Instr::bs_get_float>(in); }
  void emit(const op::bs_get_binary2& in) { emit_as<Instr::bs_get_binary>(in); }
  void emit(const op::bs_skip_bits2& in);
  void emit(const op::bs_test_tail2& in);
  void emit(const op::bs_test_unit& in);
  void emit(const op::bs_match& in);
  void emit(const op::bs_create_bin& in);
  void emit(const op::bs_init2& in);
  void emit(const op::bs_init_bits& in);
  void emit(const op::bs_utf8_size& in);
  void emit(const op::bs_utf16_size& in);
#define UTF_GET(number, name, bits, since) void emit(const op::name& in);
#define UTF_SKIP(number, name, bits, since) void emit(const op::name& in);
#define UTF_PUT(number, name, bits, since, until) void emit(const op::name& in);
#include "bytecode/opcodes.def"
  template <class I>
  void start_match(const I& in);
  template <class I>
  void utf_segment(Instr i, const I& in, Word bits);
  template <class I>
  void utf_size(const I& in, Word bits);
  template <class I>
  void init_binary(const I& in, Word unit);
  bool few_bits(const Operand& ctx, Word bits, Word flags, const Operand& dst, const Operand& fail);
  bool keeps_position(const Instruction& in) const;
  bool is_there_already(const Instruction& in);
  static Word bits_of_command(Ops list);
  void ensure(const Operand& ctx, Word bits, Word unit, const Operand& fail);
  void take_bits(const Operand& ctx, Ops command, const Operand& fail);
  bool compare_bits(const Operand& ctx, Ops* list, const Operand& fail);

  void put_list_of(const Operand& list);  ///< n and the elements, dynamic

  bool load_literals(std::string* why);
  void make_templates();
  void finish();

  CodeTable& table_;
  const BeamFile& file_;
  const CodeUnit& unit_;
  Module& module_;
  Beliefs* const believed_;
  Relocations* const noted_;  ///< null: no image is wanted
  std::vector<Word> code_;
  std::vector<Term> literals_;
  std::vector<uint32_t> label_at_;  ///< label -> word index, for jumps; 0 = not yet
  std::vector<uint32_t> entry_at_;  ///< the same for calls: of a function, its first word
  uint32_t native_entry_ = 0;       ///< of the function whose first label is still to come
  bool loads_nifs_ = false;         ///< calls erlang:load_nif/2
  struct Fixup {
    uint32_t at;
    uint32_t label;
  };
  std::vector<Fixup> label_fixups_, call_fixups_;
  struct AddressFixup {
    uint32_t at, target;  ///< word indices
  };
  std::vector<AddressFixup> address_fixups_;
  /// The last bs_set_position, if the context is still there.
  const Instruction* positioned_ = nullptr;
  bool failed_ = false;
  const Export* without_body_ = nullptr;  ///< a guard BIF the machine does not have
};

}  // namespace wb
