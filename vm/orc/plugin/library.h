// The interpreter's fast handlers as LLVM bitcode (tools/stencils/orc.cmake), embedded in the
// plugin and read one by one when a function needs them.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "bytecode/instructions.h"
#include "vm/jit/stencils.h"

namespace wb {

/// A symbol that stands for an operand or for a way out of a handler (vm/interp/holes.h).
struct SymbolUse {
  HoleKind kind{};
  unsigned operand = 0;
  llvm::GlobalValue* value = nullptr;  ///< nullptr: it is none
};

/// A handler's body.
struct HandlerBody {
  llvm::Function* function = nullptr;
  std::vector<SymbolUse> symbols;           ///< that it names
  std::vector<llvm::Function*> intrinsics;  ///< that it calls
  bool goes_on = false;                     ///< to the next instruction
  std::vector<uint8_t> branches;            ///< operands that are labels it may go to
};

class HandlerLibrary {
 public:
  explicit HandlerLibrary(llvm::LLVMContext& context);
  /// nullptr: there is none, or it calls what has no name here.
  const HandlerBody* find(unsigned handler);
  SymbolUse symbol(const llvm::Value* v) const;

 private:
  void read_list(const llvm::GlobalVariable& list);
  std::unique_ptr<HandlerBody> read(llvm::Function* f);
  std::unique_ptr<llvm::Module> module_;
  std::vector<llvm::Function*> functions_;  ///< by handler
  std::vector<std::unique_ptr<HandlerBody>> bodies_;
};

}  // namespace wb
