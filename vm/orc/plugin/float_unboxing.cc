#include "vm/orc/plugin/float_unboxing.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

#include "vm/orc/plugin/addresses.h"

namespace wb {

using namespace llvm;

namespace {

constexpr int64_t kTags = 3;
constexpr unsigned kExecArgument = 1;

class Carried {
 public:
  Carried(PHINode* phi, const DominatorTree& tree, const DataLayout& layout)
      : phi_(phi), tree_(tree), layout_(layout) {}
  bool run() {
    if (!phi_->getType()->isIntegerTy(64) || phi_->getNumIncomingValues() != 2) return false;
    BasicBlock* loop = phi_->getParent();
    unsigned back = tree_.dominates(loop, phi_->getIncomingBlock(0)) ? 0 : 1;
    if (!tree_.dominates(loop, phi_->getIncomingBlock(back))) return false;
    Value* number =
        stored_at(phi_->getIncomingValue(back), phi_->getIncomingBlock(back)->getTerminator());
    if (!number) return false;
    find_reads(phi_, 0);
    if (numbers_.empty()) return false;
    replace(phi_->getIncomingBlock(1 - back), phi_->getIncomingValue(1 - back),
            phi_->getIncomingBlock(back), number);
    return true;
  }

 private:
  /// What was put into the box that this term leads to; nullptr: it is not a new one's.
  Value* stored_at(Value* term, Instruction* before) const {
    BaseOffset box = address_of(term, layout_);
    if (!box.base->getType()->isPointerTy()) return nullptr;
    bool header = false;
    Value* number = nullptr;
    for (DomTreeNode* n = tree_.getNode(before->getParent()); n; n = n->getIDom()) {
      BasicBlock* b = n->getBlock();
      for (Instruction& i : *b) {
        auto* store = dyn_cast<StoreInst>(&i);
        if (!store) continue;
        BaseOffset to = address_of(store->getPointerOperand(), layout_);
        if (to.base != box.base) continue;
        auto* word = dyn_cast<ConstantInt>(store->getValueOperand());
        if (to.at == box.at - kBoxed && word && word->getZExtValue() == kFloatHeader) header = true;
        if (to.at != box.at - kBoxed + kWord) continue;
        if (number) return nullptr;
        number = store->getValueOperand();
      }
      if (b == phi_->getParent()) break;
    }
    return header && number && number->getType()->isDoubleTy() ? number : nullptr;
  }

  /// Reads of what the term leads to, which is `at` bytes from where `v` points.
  void find_reads(Value* v, int64_t at) {
    for (User* u : v->users()) {
      APInt offset(64, 0);
      ConstantInt* number = nullptr;
      if (isa<PtrToIntInst, IntToPtrInst>(u)) {
        find_reads(u, at);
      } else if (auto* gep = dyn_cast<GetElementPtrInst>(u)) {
        if (gep->accumulateConstantOffset(layout_, offset))
          find_reads(u, at + offset.getSExtValue());
      } else if (match(u, PatternMatch::m_Add(PatternMatch::m_Specific(v),
                                              PatternMatch::m_ConstantInt(number)))) {
        find_reads(u, at + number->getSExtValue());
      } else if (auto* load = dyn_cast<LoadInst>(u)) {
        if (at == kWord - kBoxed && load->getType()->isDoubleTy()) numbers_.push_back(load);
        if (at == -kBoxed && load->getType()->isIntegerTy(64)) headers_.push_back(load);
      }
    }
  }

  void replace(BasicBlock* entry, Value* first, BasicBlock* back, Value* number) {
    IRBuilder<> b(entry->getTerminator());
    Value* dummy = entry->getParent()->getArg(kExecArgument);
    auto word = [&](int64_t n) { return b.getInt64(static_cast<uint64_t>(n)); };
    Value* boxed = b.CreateICmpEQ(b.CreateAnd(first, word(kTags)), word(kBoxed));
    Value* at = b.CreateIntToPtr(b.CreateAdd(first, word(-kBoxed)), dummy->getType());
    Value* header = b.CreateLoad(b.getInt64Ty(), b.CreateSelect(boxed, at, dummy));
    Value* is_float = b.CreateAnd(boxed, b.CreateICmpEQ(header, b.getInt64(kFloatHeader)));
    Value* box = b.CreateSelect(is_float, at, dummy);
    Value* begin = b.CreateLoad(b.getDoubleTy(), b.CreatePtrAdd(box, word(kWord)));
    b.SetInsertPoint(phi_);
    PHINode* value = b.CreatePHI(b.getDoubleTy(), 2);
    value->addIncoming(begin, entry);
    value->addIncoming(number, back);
    for (LoadInst* load : numbers_) load->replaceAllUsesWith(value);
    PHINode* known = b.CreatePHI(b.getInt1Ty(), 2);
    known->addIncoming(is_float, entry);
    known->addIncoming(b.getTrue(), back);
    for (LoadInst* load : headers_) replace_checks(load, known);
  }
  static void replace_checks(LoadInst* header, Value* known) {
    for (User* u : make_early_inc_range(header->users())) {
      auto* compare = dyn_cast<ICmpInst>(u);
      auto* with = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
      if (!with || with->getZExtValue() != kFloatHeader || !compare->isEquality()) continue;
      bool equal = compare->getPredicate() == CmpInst::ICMP_EQ;
      IRBuilder<> b(compare);
      compare->replaceAllUsesWith(equal ? known : b.CreateNot(known));
    }
  }

  static constexpr int64_t kWord = sizeof(Word);
  PHINode* const phi_;
  const DominatorTree& tree_;
  const DataLayout& layout_;
  std::vector<LoadInst*> numbers_, headers_;
};

}  // namespace

bool unbox_floats_in_loops(Function& f, const DominatorTree& tree) {
  std::vector<PHINode*> phis;
  for (BasicBlock& b : f) {
    for (PHINode& phi : b.phis()) phis.push_back(&phi);
  }
  bool any = false;
  for (PHINode* phi : phis) any |= Carried(phi, tree, f.getParent()->getDataLayout()).run();
  return any;
}

}  // namespace wb
