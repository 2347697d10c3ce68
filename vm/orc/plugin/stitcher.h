// From a function's pieces to LLVM IR: the bodies of the interpreter's handlers, one after the
// other, with constants for operands and jumps for the tail calls between them.
//
// The semantics stay written once, in vm/interp; what this tier adds is that LLVM sees a whole
// function: values that one instruction leaves in a register are known to the next, a type tested
// is tested no more, a call of oneself is a loop, a heap cell just written is not read.
//
// HP, E, FC and x0..x2 are SSA values, from a root's eight arguments to the arguments of the tail
// call it ends with. Frames, and X registers from 3 on, are memory; that none of it is the heap's
// is told to LLVM by alias scopes.
//
// What is slow leaves through the interpreter's handler of the same instruction, as in the baseline
// tier (vm/jit/holes.h), and goes on in that tier's code to the next root.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <map>
#include <string>

#include "vm/orc/plugin/layout.h"

namespace wb {

class Stitcher {
 public:
  Stitcher(llvm::Module& module, const CodePieces& function, HandlerLibrary& library);
  /// Makes all functions; then `roots` says their names.
  void run();

  struct Root {
    uint32_t at;
    std::string name;
  };
  std::vector<Root> roots;              ///< those entered from outside
  std::vector<unsigned> handlers_used;  ///< as the external functions h0, h1 ...

 private:
  enum Register { HP, E, FC, X0, X1, X2, kRegisters };
  struct State {
    llvm::Value* of[kRegisters];
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
  void make_root(uint32_t piece);
  State begin_loop(llvm::BasicBlock* entry);
  State arrive(Pending& p);
  void make_piece(uint32_t piece, llvm::BasicBlock* block, const State& s);
  void stitch(uint32_t piece, llvm::BasicBlock* block, const State& s);
  void map_symbols(const HandlerBody& body, uint32_t piece, llvm::ValueToValueMapTy& map);
  void add_scopes(const llvm::Instruction& original, llvm::Instruction* copy);
  void end_block(llvm::BasicBlock* block, uint32_t piece, const State& begin);
  void choose(uint32_t piece, llvm::BasicBlock* block, const State& s);
  llvm::Value* load_operand(uint32_t piece, llvm::IRBuilder<>& b, const State& s);

  // --- ways on; each ends `block`
  void go_to(uint32_t piece, llvm::BasicBlock* block, const State& s);
  void go_to_label(Word label, llvm::BasicBlock* block, const State& s);
  void leave_to(unsigned handler, llvm::Value* i, llvm::BasicBlock* block, const State& s);
  void leave_through(Word label, llvm::BasicBlock* block, const State& s);
  void tail_call(llvm::Value* callee, llvm::Value* i, llvm::BasicBlock* block, const State& s);

  llvm::BasicBlock* new_block();
  llvm::Value* word(Word w) { return llvm::ConstantInt::get(i64_, w); }
  llvm::Value* pointer(Word w) {
    return llvm::ConstantExpr::getIntToPtr(llvm::cast<llvm::Constant>(word(w)), ptr_);
  }
  llvm::Function* handler(unsigned h);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const CodePieces& function_;
  HandlerLibrary& library_;
  const Layout layout_;
  llvm::Type* i64_;
  llvm::Type* ptr_;
  llvm::FunctionType* type_;
  llvm::MDNode *exec_scope_, *stack_scope_, *both_scopes_;
  std::map<uint32_t, llvm::Function*> root_functions_;
  std::map<unsigned, llvm::Function*> handler_functions_;

  // --- of the root being made
  uint32_t root_ = 0;
  llvm::Function* f_ = nullptr;
  llvm::BasicBlock* loop_ = nullptr;
  llvm::BasicBlock* otherwise_ = nullptr;  ///< of the piece being made
  llvm::PHINode* loop_phis_[kRegisters] = {};
  std::map<uint32_t, Pending> pending_;
};

}  // namespace wb
