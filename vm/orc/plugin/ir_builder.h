// From a function's operations to LLVM IR: the bodies of the interpreter's handlers, one after the
// other, with constants for operands and jumps for the tail calls between them.
//
// The semantics stay written once, in vm/interp; what this tier adds is that LLVM sees a whole
// function: values that one instruction leaves in a register are known to the next, a type tested
// is tested no more, a call of oneself is a loop, a heap cell just written is not read.
//
// HP, E, FC and x0..x2 are SSA values, from a root's eight arguments to the arguments of the tail
// call it ends with. Frames, and X registers from 3 on, are memory; that none of it is the heap's
// LLVM knows by alias scopes.
//
// What depends on this run of the machine (atoms, literals, code's addresses) is an external
// variable whose address it is (../symbols.h): LLVM knows such values as constants that differ from
// each other, and the code can be placed in other runs, too (../code_image.h).
//
// Each instruction of IR says which of the function's it came of: its line number is the loaded
// instruction's offset, and the table of lines that LLVM makes of them tells, when somebody looks,
// what machine code is about.
//
// What is slow leaves through the interpreter's handler of the same instruction, as in the baseline
// tier (vm/interp/holes.h), and goes on in that tier's code to the next root. What is slow and
// hardly ever happens (a float that is not finite, no room) leaves through an instruction before
// it, the *deoptimisation point*: since then nothing was done that anybody sees, only registers
// were set and words written beyond the heap's and the stack's top of then, so all of it can be
// done once more. What came to be in between need not be kept for such a way out, and one serves
// for many.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <deque>
#include <map>
#include <set>
#include <string>

#include "vm/orc/plugin/layout.h"
#include "vm/orc/plugin/registers.h"
#include "vm/orc/symbols.h"

namespace wb {

class IrBuilder {
 public:
  IrBuilder(llvm::Module& module, const Unit& unit, HandlerLibrary& library);
  /// Line numbers are offsets of words from the function's entry, and so much.
  static constexpr unsigned kFirstLine = 1;
  /// Makes all functions; then `roots` says their names.
  void run();

  struct Root {
    uint32_t at;
    std::string name;
  };
  std::vector<Root> roots;              ///< those entered from outside
  std::vector<unsigned> handlers_used;  ///< as the external functions h0, h1 ...
  /// What depends on this run, as external variables: their addresses are what they stand for.
  struct Used {
    Symbol symbol;
    Word value;
    llvm::GlobalVariable* variable;
  };
  std::vector<Used> symbols_used;
  bool depends_on_run = false;  ///< something of this run has no symbol

 private:
  enum Register { HP, E, FC, X0, X1, X2, kRegisters };
  struct DeoptPoint;
  struct State {
    llvm::Value* of[kRegisters];
    DeoptPoint* deopt = nullptr;  ///< where it can deoptimise to
  };
  struct DeoptPoint {
    uint32_t op;
    State state;
    llvm::Instruction* mark;  ///< where it begins
    llvm::BasicBlock* way_out = nullptr;
  };
  struct Edge {
    llvm::BasicBlock* from;
    State state;
  };
  struct Pending {
    llvm::BasicBlock* block = nullptr;
    std::vector<Edge> edges;
  };

  void declare_roots();
  void declare_locations();
  /// Of the IR that an operation becomes.
  llvm::DebugLoc location(uint32_t op) const {
    return llvm::DILocation::get(context_, unit_.origin(op) + kFirstLine, 0, f_->getSubprogram());
  }
  void build_root(uint32_t op);
  void remove_stack_phi();
  State begin_loop(llvm::BasicBlock* entry);
  bool same_stack(const Pending& p, int64_t* at) const;
  State arrive(Pending& p);
  void build_op(uint32_t op, llvm::BasicBlock* block, const State& s);
  void inline_handler(uint32_t op, llvm::BasicBlock* block, const State& s);
  void copy_handler(uint32_t op, llvm::BasicBlock* block, const State& s);
  llvm::BasicBlock* compare_fun(uint32_t op, uint32_t body, const State& s, llvm::BasicBlock* block,
                                llvm::BasicBlock* others);
  void note_spill(const std::vector<llvm::Instruction*>& copies, const State& s);
  void map_symbols(const HandlerBody& body, uint32_t op, llvm::ValueToValueMapTy& map);
  void add_scopes(const llvm::Instruction& original, llvm::Instruction* copy, bool matches);
  void end_block(llvm::BasicBlock* block, uint32_t op, const State& begin, DeoptPoint* after);
  void exit_function(llvm::CallInst* call, uint32_t op, DeoptPoint* after);
  bool return_in_line(llvm::CallInst* call, uint32_t op, DeoptPoint* after);
  void stay_inlined(uint32_t body, llvm::CallInst* call, DeoptPoint* after);
  void enter_in_line(uint32_t body, llvm::BasicBlock* block, const State& s);
  bool may_copy(uint32_t root, uint32_t from);
  static State state_of(llvm::CallInst* call, DeoptPoint* deopt);
  LiveRegisters live_of_callee(uint32_t op) const;
  LiveRegisters live_at_label(uint32_t from, Word label) const;
  void count(uint32_t counter, llvm::BasicBlock* block);
  llvm::BasicBlock* otherwise(uint32_t op, const State& begin);
  llvm::Instruction* make_mark(llvm::BasicBlock* block);
  bool can_re_execute(const std::vector<llvm::Instruction*>& done, const DeoptPoint& since) const;
  void build_switch(uint32_t op, llvm::BasicBlock* block, const State& s);
  void compare_cases(uint32_t op, llvm::BasicBlock* block, const State& s);
  void compare_cases(uint32_t op, llvm::Value* v, unsigned from, unsigned end,
                     llvm::BasicBlock* block, const State& s);
  llvm::Value* load_operand(uint32_t op, llvm::IRBuilder<>& b, const State& s);

  // --- ways on; each ends `block`
  void branch_to(uint32_t op, llvm::BasicBlock* block, const State& s);
  void branch_inside(uint32_t op, llvm::BasicBlock* block, const State& s);
  bool ends_side(uint32_t op);
  void branch_to_label(uint32_t from, Word label, llvm::BasicBlock* block, const State& s);
  FunctionExit& exit_to(unsigned handler, llvm::Value* i, llvm::BasicBlock* block, const State& s,
                        LiveRegisters live = {});
  void exit_through(Word label, llvm::BasicBlock* block, const State& s, LiveRegisters live);
  FunctionExit& tail_call(llvm::Value* callee, llvm::Value* i, llvm::BasicBlock* block,
                          const State& s, LiveRegisters live = {});

  llvm::BasicBlock* new_block();
  llvm::Constant* word(Word w) { return llvm::ConstantInt::get(i64_, w); }
  llvm::Constant* pointer(Word w) { return llvm::ConstantExpr::getIntToPtr(word(w), ptr_); }
  llvm::Constant* named(const Symbol& symbol);
  void name_catches();
  llvm::Constant* address(Word w);
  llvm::Constant* operand(uint32_t op, unsigned k);
  llvm::Constant* as_word(llvm::Constant* c) { return llvm::ConstantExpr::getPtrToInt(c, i64_); }
  bool depends(uint32_t op, unsigned k) const;
  llvm::Function* handler(unsigned h);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const Unit& unit_;
  const Symbols symbols_;
  HandlerLibrary& library_;
  const Layout layout_;
  llvm::Type* i64_;
  llvm::Type* ptr_;
  llvm::FunctionType* type_;
  llvm::MDNode *exec_scope_, *stack_scope_, *both_scopes_, *context_scope_;
  llvm::MDNode *below_2g_, *anywhere_;  ///< where an external variable lies
  std::map<uint32_t, llvm::Function*> root_functions_;
  std::map<unsigned, llvm::Function*> handler_functions_;

  // --- of the root being made
  uint32_t root_ = 0;
  llvm::Function* f_ = nullptr;
  llvm::DebugLoc here_;  ///< location of the operation being built
  llvm::BasicBlock* loop_ = nullptr;
  bool is_entry_made_ = false;             ///< the copy of the function's, if this is another's
  llvm::BasicBlock* otherwise_ = nullptr;  ///< of the operation being built
  uint32_t guess_ = Unit::kNone;           ///< the body of the fun that it surely calls
  llvm::PHINode* loop_phis_[kRegisters] = {};
  std::map<uint32_t, Pending> pending_;
  std::set<uint32_t> copied_;  ///< other roots that are here, too
  size_t copied_ops_ = 0;
  size_t side_ops_ = 0;  ///< that a side root has
  std::deque<DeoptPoint> deopt_points_;
  Promoted promoted_;
};

}  // namespace wb
