#include "vm/orc/plugin/dead_boxes.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <set>
#include <vector>

#include "term/term.h"

namespace wb {

using namespace llvm;

namespace {

constexpr Word kFloatHeader = make_header(Kind::flo, 1);
constexpr int64_t kBoxBytes = 2 * sizeof(Word);

/// Somebody uses an address that is this far from the top.
struct Place {
  Use* use;
  int64_t at;
};

class Stretch {
 public:
  Stretch(Value* top, const DominatorTree& tree, const DataLayout& layout)
      : top_(top), tree_(tree), layout_(layout) {
    follow(top, 0);
  }
  bool drop_one() {
    for (const Place& p : places_) {
      auto* header = dyn_cast<StoreInst>(p.use->getUser());
      if (!header || !is_header(*header, p)) continue;
      StoreInst* value = value_of(p.at);
      if (!value || !may_go(p.at, header, value)) continue;
      close(p.at, header);
      header->eraseFromParent();
      value->eraseFromParent();
      return true;
    }
    return false;
  }

 private:
  /// Finds what uses `v`, which is `at` bytes from the top. Sums with constants are followed.
  void follow(Value* v, int64_t at) {
    for (Use& u : v->uses()) {
      auto* i = cast<Instruction>(u.getUser());
      int64_t more = 0;
      if (is_step(*i, u, &more)) {
        follow(i, at + more);
      } else {
        places_.push_back({&u, at});
      }
    }
  }
  bool is_step(Instruction& i, const Use& u, int64_t* more) const {
    if (isa<PtrToIntInst, IntToPtrInst>(i)) return true;
    if (auto* gep = dyn_cast<GetElementPtrInst>(&i)) {
      APInt sum(64, 0);
      if (u.getOperandNo() != 0 || !gep->accumulateConstantOffset(layout_, sum)) return false;
      *more = sum.getSExtValue();
      return true;
    }
    auto* sum = dyn_cast<BinaryOperator>(&i);
    auto* number = sum ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
    if (!number || u.getOperandNo() != 0) return false;
    auto* joined = dyn_cast<PossiblyDisjointInst>(sum);
    *more = number->getSExtValue();
    return sum->getOpcode() == Instruction::Add || (joined && joined->isDisjoint());
  }

  static bool is_address(const StoreInst& s, const Use& u) {
    return u.getOperandNo() == StoreInst::getPointerOperandIndex() && !s.isVolatile();
  }
  static bool is_header(const StoreInst& s, const Place& p) {
    auto* word = dyn_cast<ConstantInt>(s.getValueOperand());
    return is_address(s, *p.use) && word && word->getBitWidth() == 64 &&
           word->getZExtValue() == kFloatHeader;
  }
  /// The only thing that is done to the second word.
  StoreInst* value_of(int64_t box) const {
    StoreInst* value = nullptr;
    for (const Place& p : places_) {
      if (p.at != box + static_cast<int64_t>(sizeof(Word))) continue;
      auto* store = dyn_cast<StoreInst>(p.use->getUser());
      if (value || !store || !is_address(*store, *p.use)) return nullptr;
      value = store;
    }
    return value;
  }

  static Instruction* position(const Use& u) {
    auto* i = cast<Instruction>(u.getUser());
    auto* phi = dyn_cast<PHINode>(i);
    return phi ? phi->getIncomingBlock(u)->getTerminator() : i;
  }
  /// Does nothing lead to the box, and is it known of all that lies behind it that it does?
  bool may_go(int64_t box, StoreInst* header, StoreInst* value) const {
    if (!tree_.dominates(header, value) && !tree_.dominates(value, header)) return false;
    std::set<const BasicBlock*> seen;
    for (const Place& p : places_) {
      if (p.use->getUser() == header || p.use->getUser() == value) continue;
      if (p.at <= box && (p.at != box || !is_access(p))) continue;
      if (p.at < box + kBoxBytes) return false;
      if (!tree_.dominates(header, position(*p.use)) && is_behind(header, position(*p.use))) {
        return false;
      }
    }
    return true;
  }
  /// Is it read or written there? Otherwise it is where the heap's top is, or is compared with.
  static bool is_access(const Place& p) {
    auto* i = cast<Instruction>(p.use->getUser());
    if (auto* call = dyn_cast<CallInst>(i)) return !call->isMustTailCall() && !isa<AssumeInst>(i);
    return isa<LoadInst>(i) ||
           (isa<StoreInst>(i) && p.use->getOperandNo() == StoreInst::getPointerOperandIndex());
  }
  /// Can one come from the box to `to` before the stretch begins anew?
  bool is_behind(const Instruction* from, const Instruction* to) const {
    SmallPtrSet<BasicBlock*, 1> begin;
    if (auto* phi = dyn_cast<PHINode>(top_)) begin.insert(phi->getParent());
    return isPotentiallyReachable(from, to, &begin, &tree_);
  }

  /// What lies behind the box moves down.
  void close(int64_t box, Instruction* header) {
    for (const Place& p : places_) {
      if (p.at < box + kBoxBytes) continue;
      Instruction* where = position(*p.use);
      if (!tree_.dominates(header, where)) continue;
      IRBuilder<> b(where);
      auto down = static_cast<uint64_t>(-kBoxBytes);
      Value* v = p.use->get();
      p.use->set(v->getType()->isPointerTy()
                     ? b.CreatePtrAdd(v, b.getInt64(down))
                     : b.CreateAdd(v, ConstantInt::get(v->getType(), down)));
    }
  }

  Value* const top_;
  const DominatorTree& tree_;
  const DataLayout& layout_;
  std::vector<Place> places_;
};

/// The pointers that boxes are stored relative to.
std::vector<Value*> tops_of(Function& f, const DataLayout& layout) {
  std::vector<Value*> tops;
  for (BasicBlock& b : f) {
    for (Instruction& i : b) {
      auto* store = dyn_cast<StoreInst>(&i);
      auto* word = store ? dyn_cast<ConstantInt>(store->getValueOperand()) : nullptr;
      if (!word || word->getBitWidth() != 64 || word->getZExtValue() != kFloatHeader) continue;
      APInt offset(64, 0);
      Value* top =
          store->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
      if (!isa<PHINode, Argument>(top)) continue;
      if (!is_contained(tops, top)) tops.push_back(top);
    }
  }
  return tops;
}

}  // namespace

bool drop_dead_boxes(Function& f, const DominatorTree& tree) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  bool any = false;
  for (Value* top : tops_of(f, layout)) {
    while (Stretch(top, tree, layout).drop_one()) any = true;
  }
  return any;
}

}  // namespace wb
