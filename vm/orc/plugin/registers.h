// Registers that the interpreter keeps in memory (X registers from 3 on, float registers, words of
// frames) become values of LLVM's own, in one function made by the IR builder.
//
// Each register that is named gets a slot: an alloca, filled from memory where the function begins
// and written back where it is left, so that whoever goes on finds all of them. A return leaves
// nothing but x0, and no call leaves a float: there they are not written. Whoever looks at
// registers in another way than by name (a call of C++, an index) finds them in memory, and memory
// is read again afterwards. LLVM then sees which of these loads and stores are for nothing.
//
// A call of C++ that gets the stack's top may collect: it finds the words of frames on it, and
// afterwards they are elsewhere, as far from the stack's top as they were (stack_slots.h).
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "vm/orc/plugin/layout.h"

namespace wb {

/// A way out of the function.
struct FunctionExit {
  llvm::CallInst* call;  ///< the tail call
  LiveRegisters live;    ///< what whoever goes on may read
  /// It finds registers as they were here; nullptr: as they are.
  llvm::Instruction* as_at = nullptr;
};
/// From here on only these are live. (The instruction does nothing; so do those of `as_at`. They
/// are removed.)
struct LiveMark {
  llvm::Instruction* at;
  LiveRegisters live;
  llvm::Value* top;  ///< of the stack
};

/// A handler that leaves the stack's top to C++, and finds it again.
struct Spill {
  llvm::StoreInst* saved_top = nullptr;  ///< of the top less its slack (ProcessHeap::limit_)
  int64_t at = 0;                        ///< where: bytes from the begin of the Process
  std::vector<llvm::CallInst*> calls;
  std::vector<llvm::LoadInst*> reloads;
  llvm::Value* top() const { return saved_top->getValueOperand(); }
};

struct Promoted {
  llvm::Function* function;
  llvm::Argument *exec, *stack;            ///< the arguments that are the Exec and the stack's top
  LiveRegisters live;                      ///< where the function begins
  llvm::MDNode *exec_scope, *stack_scope;  ///< alias scopes
  std::vector<FunctionExit> exits;
  std::vector<LiveMark> marks;
  std::vector<Spill> spills;
};
void promote_registers(const Promoted& p);

}  // namespace wb
