// The baseline compiler: native code for a function by copying stencils one after the other and
// filling their holes.
//
// A function's instructions keep their words. Its native code is a layer of the function's patch
// stack (loader/code_words.h): every instruction's first word, the address of its handler, becomes
// the address of its native code, so whoever arrives at an instruction from anywhere (a call, a
// return, an exception, a slow operation, a later slice) goes on in native code, and one that was
// in the middle of the interpreter gets there with its next instruction. Both forms may run at the
// same time: they do the same to the same registers, heap and stack. No native address is ever
// stored elsewhere, so stack traces, the collector and purging know nothing of all this.
//
// What has no stencil (slow operations, operands that do not fit a hole) becomes "load I, jump to
// the handler"; so does the slow path of one that has: the interpreter's handler does the
// instruction from its beginning and goes on through the next word.
//
// A function is compiled when it is called (or loops) for the kWarmCalls-th time: another layer,
// the handler `warm_up` at its entry, counts in the header word (loader/code.h). Module loading
// pays nothing for it.
//
// Locks: one compilation at a time; who comes while another compiles goes on interpreting. An Edit
// of the words is taken within it.
//
// Rejected: native return addresses on the stack (a third faster returns, but then stacks know
// tiers); compiling at load (start-up pays for what never runs).
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bytecode/instructions.h"
#include "loader/code_words.h"
#include "vm/jit/code_memory.h"
#include "vm/jit/gdb_symbols.h"
#include "vm/jit/lowered_function.h"
#include "vm/jit/perf_map.h"

namespace wb {

struct Stencil;

struct BaselineCounters {
#define BASELINE(name, text) std::atomic<uint64_t> name{0};
#define LLVM(name, text)
#include "vm/jit/counters.def"
#undef BASELINE
#undef LLVM
};

class Baseline {
 public:
  /// A function is compiled at this call.
  static constexpr uint32_t kWarmCalls = 8;

  /// `handlers`: the VM's table. nullptr: this build has no stencils or the system gives no memory
  /// to execute.
  /// Whom native code has names for (perf_map.h, gdb_symbols.h).
  struct Names {
    bool perf = false, gdb = false;
  };
  static std::unique_ptr<Baseline> make(const Word* handlers, CodeWords& words, Names names);

  /// Compiles the function of `m` that `entry` belongs to. False: somebody else compiles right now.
  /// Afterwards its calls are not counted any more, whatever happened.
  bool compile(Module& m, const Word* entry);
  /// Every function of `m` that is not compiled yet.
  void compile_all(Module& m);

  /// What the function at `entry` consists of. False: it is not compiled, although it has to be, or
  /// somebody compiles right now.
  bool lower_function(const Module& m, const Word* entry, LoweredFunction* out,
                      bool compiled = true);

  // --- for who looks (vm/observe/) ---
  /// A function as it was compiled.
  struct Compiled {
    const Word* entry;
    CodeMemory::Block block;
    uint32_t returns;  ///< how often a breakpoint took it back to the interpreter
  };
  std::vector<Compiled> compiled(const Module& m);
  /// Whose code the function at `entry` is reached by now; none: it is interpreted. Without a lock.
  enum class Tier : uint8_t { none, baseline, hot };
  Tier tier_of(const Word* entry) const;

  /// A breakpoint was put on such a function.
  void count_breakpoint(CodeWords::Covered covered);
  /// `m` is not current any more: what it has will not be called again.
  void count_unloaded(const Module& m);

  /// Tells perf and gdb, if they want to know, of code that somebody else made.
  void add_name(const uint8_t* code, size_t size, const std::string& name);
  /// gdb's; it may not have one.
  void forget_name(const uint8_t* code);
  bool names_for_perf() const { return perf_map_ != nullptr; }

  /// The native code of `m`.
  static std::vector<CodeMemory::Block> blocks_of(const Module& m);
  BaselineCounters counters;

 private:
  /// One stencil to copy: an instruction, or an operation it was lowered to.
  struct Item {
    uint32_t at;             ///< word offset of the instruction from the function's entry
    uint16_t handler;        ///< of the whole instruction
    uint16_t own = 0;        ///< of the operation
    bool continues = false;  ///< not the instruction's first
    uint32_t made = 0;       ///< where in made_ its words are; 0: they are the instruction's
    uint32_t native = 0;     ///< offset of its code
    const Stencil* stencil = nullptr;  ///< none: the handler runs it
  };
  Baseline(const Word* handlers, CodeWords& words);
  void compile_locked(Module& m, const Module::Function& f);
  void install(Module& m, Word* entry);
  void name_code(const uint8_t* code, size_t size, const std::string& name);
  void read(const Module& m, const Module::Function& f);
  const Stencil* choose(unsigned handler, const Word* at) const;
  // Instructions as several stencils: one overload for each that is kLowered, in lower.cc,
  // lower_maps.cc, lower_building.cc and lower_matching.cc. False: its operands are not for that,
  // and some operations may have been added.
  bool lower(Instr i, const Word* at, const Item& whole);
  template <class>
  struct NotLowered {};
  template <class I>
  using IfLowered = std::conditional_t<(I::kAttributes & kLowered) != 0, const I&, NotLowered<I>>;
#define INSTR(name, shape, operands, attributes) \
  bool lower(IfLowered<instr::name> in, const Item& whole);
#include "bytecode/instructions.def"
  bool add_elements(const Item& whole, const Word* elements, Word n, Word first);
  bool add_fun_call(const Item& whole, const Instr (&variants)[4], Word fun, Word arity,
                    Word after);
  bool clear(const Item& whole, Word slot);
  bool add_float_operator(const Item& whole, Instr i);
  template <class I>
  bool lower_on_floats(const I& in, Instr op, const Item& whole);
  bool divide(const Item& whole, std::span<const Word> args, Word dst);
  template <class I>
  bool guard_bif(const I& in, std::initializer_list<Word> args, Word fail, const Item& whole);
  template <class I>
  bool put_pairs(const I& in, Word function, const Item& whole);
  bool get_element(const Item& whole, Word fail, Word map, Word key, Word dst);
  bool add_context_op(const Item& whole, Instr i, Word ctx, std::initializer_list<Word> more);
  bool add_op_of_two(const Item& whole, Instr i, Word a, Word b,
                     std::initializer_list<Word> more = {});
  static OperandKind resolve_operand(Word* w);
  /// Of the operands that make the shape of the whole instruction.
  static const OperandKind* kinds_of(const Item& whole) {
    return kHandlerKinds[whole.handler].kinds;
  }
  bool add_op(const Item& whole, unsigned handler, std::span<const Word> operands);
  bool add_op(const Item& whole, unsigned handler, std::initializer_list<Word> operands) {
    return add_op(whole, handler, std::span(operands.begin(), operands.size()));
  }
  bool add_op(const Item& whole, Instr i, std::initializer_list<Word> operands);
  bool add_op_of(const Item& whole, Instr i, Word dynamic, std::initializer_list<Word> more = {});
  bool add_move(const Item& whole, Word dynamic, OperandKind to, Word where);
  bool add_to_scratch(const Item& whole, Word dynamic, unsigned k = 0);
  friend class BinaryLowering;
  Word finisher(unsigned handler) const;
  const Word* words_of(const Item& item, const Word* entry) const {
    return item.made ? made_.data() + item.made : entry + item.at;
  }
  size_t lay_out();
  void write_item(const Item& item, const Word* entry);
  void fill(const Item& item, const Word* entry);
  uint32_t exit_to(Word i, Word target);
  uint32_t exit_through(Word label);
  void rel32(uint32_t at, int32_t addend, uint32_t target);
  void rel32_outside(uint32_t at, int32_t addend, Word target);
  const Item* item_at(const Word* entry, Word address) const;

  const Word* const handlers_;
  const Word* const usual_;  ///< the table without --gc-stress: what stencils were made of
  const Word preempt_;       ///< the handler that ends the slice at an entry
  CodeWords& code_words_;
  std::unique_ptr<CodeMemory> memory_;
  std::unique_ptr<PerfMap> perf_map_;
  std::unique_ptr<GdbSymbols> gdb_symbols_;
  std::mutex lock_;
  std::vector<Item> items_;  ///< of the function being compiled
  std::vector<Word> made_;   ///< words of lowered operations
  CodeMemory::Block block_;
  bool calls_itself_ = false;   ///< without passing its first word
  bool for_llvm_ = false;       ///< lower_function: floats are expected where they have been met
  uint32_t exits_ = 0;          ///< where the next exit goes, behind the function's code
  Word exit_label_ = 0;         ///< the last label with an exit through it: often the next one's
  uint32_t label_exit_ = 0;
  friend struct NativeCode;
};

}  // namespace wb
