// Which of LLVM's passes run over the generated IR.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "vm/orc/plugin/ir_builder.h"

namespace wb {

class Optimiser {
 public:
  explicit Optimiser(std::unique_ptr<llvm::TargetMachine> machine);
  /// False: the module is not well formed, which would be a fault of the IR builder.
  bool run(llvm::Module& module, const Unit& unit, const IrBuilder& builder, std::string* error);
  static std::string print(const llvm::Module& module);

 private:
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  void forget(llvm::Function& f);
  void carry_contexts(llvm::Function& f);

  llvm::FunctionPassManager first_, then_, loop_form_, peeled_, kept_, last_;
};

}  // namespace wb
