#include "vm/orc/plugin/registers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <map>
#include <set>

#include "vm/interp/exec.h"

namespace wb {

using namespace llvm;

namespace {

constexpr uint64_t kFirstX = 3 * sizeof(Term), kEndX = kMaxX * sizeof(Term);
constexpr uint64_t kFirstFloat = offsetof(Exec, f), kEndFloat = kFirstFloat + sizeof(Exec::f);

class Promotion {
 public:
  Promotion(Function& f, Argument* exec, MDNode* scope, MDNode* no_scope)
      : f_(f),
        exec_(exec),
        layout_(f.getParent()->getDataLayout()),
        i64_(Type::getInt64Ty(f.getContext())),
        scope_(scope),
        not_(no_scope) {}
  void run() {
    derive();
    find();
    if (slots_.empty()) return;
    for (Instruction* i : named_) use_slot(i);
    for (Instruction* i : opaque_) around(i);
    for (CallInst* call : exits_) write_back(call);
    fill();
  }

 private:
  bool is_float(uint64_t offset) const { return offset >= kFirstFloat; }
  /// The offset of the register that a load or store names; 0: none.
  uint64_t register_of(Value* pointer, Type* type) const {
    APInt offset(64, 0);
    const Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    uint64_t at = offset.getZExtValue();
    bool in_range = (at >= kFirstX && at < kEndX) || (at >= kFirstFloat && at < kEndFloat);
    bool whole = at % sizeof(Word) == 0 && layout_.getTypeStoreSize(type) == sizeof(Word);
    return base == exec_ && in_range && whole ? at : 0;
  }
  /// Does it look at registers, but at which?
  bool is_opaque(Instruction& i) const {
    if (auto* call = dyn_cast<CallInst>(&i)) {
      return !isa<IntrinsicInst>(call) || isa<MemIntrinsic>(call);
    }
    Value* pointer = getLoadStorePointerOperand(&i);
    if (!pointer || !derived_.count(pointer)) return false;
    APInt offset(64, 0);
    const Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    return base != exec_ || !is_plain(offset.getZExtValue());
  }
  /// All pointers into the Exec.
  void derive() {
    std::vector<Value*> todo{exec_};
    while (!todo.empty()) {
      Value* v = todo.back();
      todo.pop_back();
      if (!derived_.insert(v).second) continue;
      for (User* u : v->users()) {
        if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst, BinaryOperator>(u))
          todo.push_back(u);
      }
    }
  }
  /// What is no register that can have a slot.
  static bool is_plain(uint64_t at) {
    return at < kFirstX || (at >= kEndX && at < kFirstFloat) || at >= kEndFloat;
  }
  void find() {
    for (BasicBlock& b : f_) {
      for (Instruction& i : b) {
        if (auto* call = dyn_cast<CallInst>(&i); call && call->isMustTailCall()) {
          exits_.push_back(call);
          continue;
        }
        Value* pointer = getLoadStorePointerOperand(&i);
        if (uint64_t at = pointer ? register_of(pointer, getLoadStoreType(&i)) : 0) {
          named_.push_back(&i);
          slot(at);
        } else if (is_opaque(i)) {
          opaque_.push_back(&i);
        }
      }
    }
  }
  AllocaInst* slot(uint64_t at) {
    AllocaInst*& s = slots_[at];
    if (!s) {
      BasicBlock& entry = f_.getEntryBlock();
      s = new AllocaInst(i64_, 0, "", entry.begin());
    }
    return s;
  }
  void use_slot(Instruction* i) {
    auto* pointer = const_cast<Value*>(getLoadStorePointerOperand(i));
    uint64_t at = register_of(pointer, getLoadStoreType(i));
    i->setMetadata(LLVMContext::MD_alias_scope, nullptr);
    i->setMetadata(LLVMContext::MD_noalias, nullptr);
    i->setOperand(isa<LoadInst>(i) ? 0 : 1, slots_[at]);
  }
  Instruction* in_scope(Instruction* i) {
    i->setMetadata(LLVMContext::MD_alias_scope, scope_);
    i->setMetadata(LLVMContext::MD_noalias, not_);
    return i;
  }
  Value* memory(IRBuilder<>& b, uint64_t at) {
    return b.CreatePtrAdd(exec_, ConstantInt::get(i64_, at));
  }
  void store_all(IRBuilder<>& b, bool floats) {
    for (auto& [at, s] : slots_) {
      if (is_float(at) && !floats) continue;
      in_scope(b.CreateStore(b.CreateLoad(i64_, s), memory(b, at)));
    }
  }
  void load_all(IRBuilder<>& b) {
    for (auto& [at, s] : slots_) b.CreateStore(in_scope(b.CreateLoad(i64_, memory(b, at))), s);
  }
  void around(Instruction* i) {
    IRBuilder<> before(i);
    store_all(before, true);
    IRBuilder<> after(i->getNextNode());
    load_all(after);
  }
  void write_back(CallInst* call) {
    if (call->getMetadata(kReturnMark)) return;
    bool stays = call->getCalledFunction() != nullptr;
    IRBuilder<> b(call);
    store_all(b, stays);
  }
  void fill() {
    IRBuilder<> b(f_.getEntryBlock().getTerminator());
    load_all(b);
  }

  Function& f_;
  Argument* const exec_;
  const DataLayout& layout_;
  Type* const i64_;
  MDNode *const scope_, *const not_;
  std::set<const Value*> derived_;
  std::map<uint64_t, AllocaInst*> slots_;  ///< by offset in the Exec
  std::vector<Instruction*> named_, opaque_;
  std::vector<CallInst*> exits_;
};

}  // namespace

void promote_registers(Function& f, Argument* exec, MDNode* scope, MDNode* no_scope) {
  Promotion(f, exec, scope, no_scope).run();
}

}  // namespace wb
