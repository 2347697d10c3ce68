// The emitter's workings: a word buffer with labels, and one method per family of instructions.
#pragma once

#include <initializer_list>
#include <vector>

#include "bytecode/decode.h"
#include "bytecode/instructions.h"
#include "loader/code.h"
#include "loader/code_server.h"

namespace wb {

class Emitter {
 public:
  Emitter(CodeServer& server, const BeamFile& file, const CodeUnit& unit, Module& module)
      : server_(server), file_(file), unit_(unit), module_(module) {}
  bool run(std::string* why);

 private:
  using Ops = std::span<const Operand>;

  // --- words -------------------------------------------------------------------------------------
  void word(Word w) { code_.push_back(w); }
  uint32_t here() const { return static_cast<uint32_t>(code_.size()); }
  void plain(Instr i) { word(server_.handler(i)); }
  /// An instruction specialised for these operands (as many as its shape says), with their words.
  void special(Instr i, std::initializer_list<Operand> operands);
  void label(const Operand& f);
  void continuation();  ///< `c` operand: must be the instruction's last word
  void align_continuation();

  // --- operands ----------------------------------------------------------------------------------
  Term constant(const Operand& o);
  Word dynamic(const Operand& o);
  void dyn(const Operand& o) { word(dynamic(o)); }
  void number(const Operand& o) { word(o.value); }
  Word heap_words(const Operand& o) const;
  Export* import(const Operand& o);
  FunEntry* lambda(const BeamLambda& l);
  static Word segment_flags(Term list);

  // --- families ----------------------------------------------------------------------------------
  void instruction(const Instruction& in);
  size_t fused(size_t k);                    ///< emits instructions k.. as one; how many, 0: none
  void check(const Instruction& in, Ops o);  ///< what must hold before a checked instruction
  void check_that(Instr i, const Operand& o);
  void check_that(Instr i, const Operand& o, Word n);
  bool simple(const Instruction& in, Ops o);  // same operands in the same order
  bool control(const Instruction& in, Ops o);
  bool data(const Instruction& in, Ops o);
  bool tests(const Instruction& in, Ops o);
  bool arithmetic(const Instruction& in, Ops o);
  bool exceptions(const Instruction& in, Ops o);
  bool messages(const Instruction& in, Ops o);
  bool maps(const Instruction& in, Ops o);
  bool map_elements(Ops o);
  Term map_with_keys(const Operand& source, const Operand& pairs);
  void put_pairs_in_order(const Operand& pairs, Term map);
  bool bit_matching(const Instruction& in, Ops o);
  bool bit_reading(const Instruction& in, Ops o);
  bool few_bits(const Operand& ctx, Word bits, Word flags, const Operand& dst, const Operand& fail);
  bool keeps_position(const Instruction& in) const;
  bool is_there_already(const Instruction& in);
  void match_commands(Ops o);
  static Word bits_of_command(Ops list);
  void ensure(const Operand& ctx, Word bits, Word unit, const Operand& fail);
  void take_bits(const Operand& ctx, Ops command, const Operand& fail);
  bool compare_bits(const Operand& ctx, Ops* list, const Operand& fail);
  bool bit_building(const Instruction& in, Ops o);

  void func_info(Ops o);
  void call_bif(Export* e);
  bool apply(Export* e);
  bool apply_last(Export* e, Word dealloc);
  bool is_tail_call(const Instruction& in);
  void call_without_return(Ops o);
  void select_val(Ops o);
  void test(Instr i, Ops o);
  void compare(Instr i, Ops o);
  void guard_bif(Instr i, unsigned n, Export* e, Ops args, const Operand& dst, const Operand& fail,
                 const Operand* live);
  bool atom_of_binary(Ops o);
  void bif_body(const Export* e);
  bool own_bif(Export* e, Ops args, const Operand& dst, const Operand& fail, const Operand* live);
  void put_list_of(const Operand& list);  ///< n and the elements, dynamic

  bool load_literals(std::string* why);
  void name_files();
  void finish();

  CodeServer& server_;
  const BeamFile& file_;
  const CodeUnit& unit_;
  Module& module_;
  std::vector<Word> code_;
  std::vector<Term> literals_;
  std::vector<uint32_t> label_at_;  ///< label -> word index; 0 = not yet
  uint32_t native_entry_ = 0;       ///< of the function whose first label is still to come
  struct Fixup {
    uint32_t at;
    uint32_t label;
  };
  std::vector<Fixup> label_fixups_;
  struct Relocation {
    uint32_t at, target;  ///< word indices
  };
  std::vector<Relocation> relocations_;
  /// The last bs_set_position, if the context is still there.
  const Instruction* positioned_ = nullptr;
  bool failed_ = false;
  const Export* without_body_ = nullptr;  ///< a guard BIF the machine does not have
};

}  // namespace wb
