#include "vm/orc/plugin/library.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "vm/interp/handler_list.h"
#include "vm/jit/hole_names.h"

extern const unsigned char kHandlerBitcode[];
extern const unsigned char kHandlerBitcodeEnd[];

namespace wb {

HandlerLibrary::HandlerLibrary(llvm::LLVMContext& context)
    : functions_(kHandlerCount), bodies_(kHandlerCount) {
  llvm::StringRef bytes(reinterpret_cast<const char*>(kHandlerBitcode),
                        static_cast<size_t>(kHandlerBitcodeEnd - kHandlerBitcode));
  auto module = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "handlers"), context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return;
  }
  module_ = std::move(*module);
  for (const llvm::GlobalVariable& g : module_->globals()) {
    if (g.getSection() == WB_HANDLER_LISTS) read_list(g);
  }
}

void HandlerLibrary::read_list(const llvm::GlobalVariable& list) {
  const llvm::Constant* fields = list.getInitializer();
  auto* instr = llvm::cast<llvm::ConstantInt>(fields->getAggregateElement(0u));
  const llvm::Constant* handlers = fields->getAggregateElement(2u);
  const InstrInfo& info = info_of(static_cast<Instr>(instr->getZExtValue()));
  for (unsigned k = 0; k < shape_variants(info.shape); ++k) {
    auto* f = llvm::dyn_cast<llvm::Function>(handlers->getAggregateElement(k));
    if (f && (!f->isDeclaration() || f->isMaterializable())) functions_[info.first_handler + k] = f;
  }
}

const HandlerBody* HandlerLibrary::find(unsigned handler) {
  if (!functions_[handler]) return nullptr;
  if (!bodies_[handler]) {
    bodies_[handler] = read(functions_[handler]);
    if (!bodies_[handler]) functions_[handler] = nullptr;
  }
  return bodies_[handler].get();
}

SymbolUse HandlerLibrary::symbol(const llvm::Value* v) const {
  auto* global = llvm::dyn_cast<llvm::GlobalValue>(v);
  SymbolUse use;
  if (global && hole_named(global->getName(), &use.kind, &use.operand)) {
    use.value = const_cast<llvm::GlobalValue*>(global);
  }
  return use;
}

namespace {
/// Every global that a constant names.
void collect(llvm::Value* v, std::vector<llvm::GlobalValue*>* into) {
  if (auto* g = llvm::dyn_cast<llvm::GlobalValue>(v)) {
    if (llvm::find(*into, g) == into->end()) into->push_back(g);
  } else if (auto* c = llvm::dyn_cast<llvm::ConstantExpr>(v)) {
    for (llvm::Use& u : c->operands()) collect(u.get(), into);
  }
}
}  // namespace

std::unique_ptr<HandlerBody> HandlerLibrary::read(llvm::Function* f) {
  if (llvm::Error e = f->materialize()) {
    llvm::consumeError(std::move(e));
    return nullptr;
  }
  auto body = std::make_unique<HandlerBody>();
  body->function = f;
  std::vector<llvm::GlobalValue*> globals;
  for (llvm::BasicBlock& b : *f) {
    for (llvm::Instruction& i : b) {
      for (llvm::Use& u : i.operands()) collect(u.get(), &globals);
    }
  }
  for (llvm::GlobalValue* g : globals) {
    SymbolUse use = symbol(g);
    auto* function = llvm::dyn_cast<llvm::Function>(g);
    if (!use.value) {
      if (!function || !function->isIntrinsic()) return nullptr;
      body->intrinsics.push_back(function);
      continue;
    }
    body->symbols.push_back(use);
    body->goes_on |= use.kind == HoleKind::next;
    if (use.kind == HoleKind::branch) body->branches.push_back(static_cast<uint8_t>(use.operand));
  }
  return body;
}

}  // namespace wb
