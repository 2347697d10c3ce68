#include "vm/orc/plugin/optimiser.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <bit>
#include <map>

#include "vm/orc/plugin/float_checks.h"
#include "vm/orc/plugin/float_unboxing.h"
#include "vm/orc/plugin/loop_contexts.h"
#include "vm/orc/plugin/scalar_replacement.h"

namespace wb {

// Registers become values, blocks are joined, what is known is cleaned up; then loads find what was
// stored in a frame or a cell, what does not change is moved out of loops, and stores that nobody
// reads go.
static const char kFirst[] = "sroa,simplifycfg,early-cse<memssa>,instcombine<no-verify-fixpoint>";
static const char kThen[] =
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,gvn,loop-mssa(licm),dse,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,simplifycfg";
// For contexts that go around a loop.
static const char kLoopForm[] = "loop-simplify,lcssa";
static const char kPeeled[] =
    "instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,loop-simplify,lcssa";
static const char kKept[] =
    "sroa,instcombine<no-verify-fixpoint>,gvn,simplifycfg,loop-mssa(licm),simplifycfg,"
    "instcombine<no-verify-fixpoint>";
// Where boxes went: what was read on their other side is known still.
static const char kLast[] = "instcombine<no-verify-fixpoint>,gvn,simplifycfg";

Optimiser::Optimiser(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {
  llvm::PassBuilder builder(machine_.get());
  builder.registerModuleAnalyses(modules_);
  builder.registerCGSCCAnalyses(components_);
  builder.registerFunctionAnalyses(functions_);
  builder.registerLoopAnalyses(loops_);
  builder.crossRegisterProxies(loops_, functions_, components_, modules_);
  llvm::cantFail(builder.parsePassPipeline(first_, kFirst));
  llvm::cantFail(builder.parsePassPipeline(then_, kThen));
  llvm::cantFail(builder.parsePassPipeline(loop_form_, kLoopForm));
  llvm::cantFail(builder.parsePassPipeline(peeled_, kPeeled));
  llvm::cantFail(builder.parsePassPipeline(kept_, kKept));
  llvm::cantFail(builder.parsePassPipeline(last_, kLast));
}

/// An external variable's address and so many bytes; null: it is not that.
static const llvm::GlobalVariable* base_and_offset(const llvm::Constant* c, int64_t* offset,
                                                   const llvm::DataLayout& layout) {
  if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(c)) return variable;
  auto* e = llvm::dyn_cast<llvm::ConstantExpr>(c);
  if (!e) return nullptr;
  auto* first = llvm::cast<llvm::Constant>(e->getOperand(0));
  switch (e->getOpcode()) {
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      return base_and_offset(first, offset, layout);
    case llvm::Instruction::GetElementPtr: {
      llvm::APInt more(64, 0);
      if (!llvm::cast<llvm::GEPOperator>(e)->accumulateConstantOffset(layout, more)) return nullptr;
      *offset += more.getSExtValue();
      return base_and_offset(first, offset, layout);
    }
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      auto* by = llvm::dyn_cast<llvm::ConstantInt>(e->getOperand(1));
      if (!by) return nullptr;
      *offset +=
          e->getOpcode() == llvm::Instruction::Add ? by->getSExtValue() : -by->getSExtValue();
      return base_and_offset(first, offset, layout);
    }
    default:
      return nullptr;
  }
}

/// Loads of literals, which never change.
static void fold_literals(llvm::Function& f, const std::map<Word, Word>& known,
                          const std::map<const llvm::GlobalVariable*, Word>& values) {
  const llvm::DataLayout& layout = f.getParent()->getDataLayout();
  for (llvm::BasicBlock& b : f) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(b)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
      auto* at = load ? llvm::dyn_cast<llvm::Constant>(load->getPointerOperand()) : nullptr;
      if (!at) continue;
      int64_t offset = 0;
      auto base = values.find(base_and_offset(at, &offset, layout));
      if (base == values.end()) continue;
      auto it = known.find(base->second + static_cast<Word>(offset));
      if (it == known.end()) continue;
      auto* type = load->getType();
      llvm::Constant* value =
          llvm::ConstantInt::get(llvm::Type::getInt64Ty(f.getContext()), it->second);
      if (type->isDoubleTy())
        value = llvm::ConstantFP::get(type, std::bit_cast<double>(it->second));
      if (value->getType() != type) continue;
      load->replaceAllUsesWith(value);
      load->eraseFromParent();
    }
  }
}

/// It was changed by hand, or by passes whose word is not asked.
void Optimiser::forget(llvm::Function& f) {
  functions_.invalidate(f, llvm::PreservedAnalyses::none());
}

void Optimiser::carry_contexts(llvm::Function& f) {
  if (!has_contexts(f, functions_)) return;
  functions_.invalidate(f, loop_form_.run(f, functions_));
  KnownContexts known = peel_contexts(f, functions_);
  if (known.empty()) return;
  forget(f);
  peeled_.run(f, functions_);
  forget(f);
  promote_positions(f, functions_.getResult<llvm::LoopAnalysis>(f), known);
  forget(f);
  kept_.run(f, functions_);
  forget(f);
}

bool Optimiser::run(llvm::Module& module, const Unit& unit, const IrBuilder& builder,
                    std::string* error) {
  std::map<Word, Word> known;
  for (const Unit::Body& body : unit.bodies) {
    for (const LoweredFunction::Literal& l : body.function->literals) {
      if (Symbols::is_constant(l)) known[reinterpret_cast<Word>(l.at)] = l.word;
    }
  }
  std::map<const llvm::GlobalVariable*, Word> values;
  for (const IrBuilder::Used& u : builder.symbols_used) values[u.variable] = u.value;
  llvm::raw_string_ostream out(*error);
  if (llvm::verifyModule(module, &out)) return false;
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    first_.run(f, functions_);
    if (!known.empty()) fold_literals(f, known, values);
    remove_redundant_float_checks(f);
    forget(f);
    then_.run(f, functions_);
    carry_contexts(f);
    auto& tree = functions_.getResult<llvm::DominatorTreeAnalysis>(f);
    bool carries = unbox_floats_in_loops(f, tree);
    if (replace_objects_by_scalars(f, tree) || carries) {
      forget(f);
      last_.run(f, functions_);
    }
    compare_with_greatest(f);
  }
  functions_.clear();
  loops_.clear();
  modules_.clear();
  components_.clear();
  return true;
}

std::string Optimiser::print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

}  // namespace wb
