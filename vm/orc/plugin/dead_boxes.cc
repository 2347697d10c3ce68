#include "vm/orc/plugin/dead_boxes.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

#include "vm/orc/plugin/addresses.h"

namespace wb {

using namespace llvm;

namespace {

constexpr int64_t kBoxBytes = 2 * sizeof(Word);
constexpr unsigned kTop = 2;  ///< the argument that is the heap's top

bool stores_float_header(const StoreInst& s) {
  auto* word = dyn_cast<ConstantInt>(s.getValueOperand());
  return word && word->getBitWidth() == 64 && word->getZExtValue() == kFloatHeader;
}

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
      if (!header || !is_header(*header, p) || exit_of(header)) continue;
      StoreInst* value = value_of(p.at);
      if (!value || !may_go(p.at, header, value)) continue;
      std::vector<Place> seen_by = inside(p.at, header, value);
      close(p.at, header, seen_by.empty());
      for (const Place& late : seen_by) make_late(late, value->getValueOperand());
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
    return is_address(s, *p.use) && stores_float_header(s);
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
  /// Does nothing lead to the box but ways out, and is it known of all that lies behind it that it
  /// does?
  bool may_go(int64_t box, StoreInst* header, StoreInst* value) const {
    if (!tree_.dominates(header, value) && !tree_.dominates(value, header)) return false;
    for (const Place& p : places_) {
      if (p.use->getUser() == header || p.use->getUser() == value) continue;
      if (p.at <= box && (p.at != box || !is_access(p))) continue;
      if (p.at < box + kBoxBytes) {
        if (!is_way_out(p, box, header, value)) return false;
        continue;
      }
      if (!tree_.dominates(header, position(*p.use)) && is_behind(header, position(*p.use))) {
        return false;
      }
    }
    return true;
  }
  /// Those who are told of the box.
  std::vector<Place> inside(int64_t box, const StoreInst* header, const StoreInst* value) const {
    std::vector<Place> all;
    for (const Place& p : places_) {
      bool own = p.use->getUser() == header || p.use->getUser() == value;
      if (!own && p.at > box && p.at < box + kBoxBytes) all.push_back(p);
    }
    return all;
  }
  /// The tail call that a block ends with.
  static CallInst* exit_of(Instruction* i) { return i->getParent()->getTerminatingMustTailCall(); }
  /// Is the box only told of on a way out, and can it be made there?
  bool is_way_out(const Place& p, int64_t box, StoreInst* header, StoreInst* value) const {
    auto* i = cast<Instruction>(p.use->getUser());
    CallInst* exit = exit_of(i);
    if (!exit || isa<PHINode>(i) || p.at != box + kBoxed) return false;
    bool told = i == exit || (isa<StoreInst>(i) && p.use->getOperandNo() == 0);
    if (!told || p.use->get()->getType()->isPointerTy()) return false;
    if (!tree_.dominates(header, i) || !tree_.dominates(value, i)) return false;
    const Place* top = top_at(exit);
    return top && top->at >= box + kBoxBytes;
  }
  /// Makes the box where it is told of, once for each way out: just below the top of there, which
  /// stays where it was.
  void make_late(const Place& p, Value* value) {
    CallInst* exit = exit_of(cast<Instruction>(p.use->getUser()));
    Value*& box = late_[exit];
    if (!box) {
      IRBuilder<> b(&*exit->getParent()->getFirstInsertionPt());
      auto bytes = [&](int64_t n) { return b.getInt64(static_cast<uint64_t>(n)); };
      Value* end = b.CreatePtrAdd(top_, bytes(top_at(exit)->at));
      Value* at = b.CreatePtrAdd(end, bytes(-kBoxBytes));
      b.CreateStore(b.getInt64(kFloatHeader), at);
      b.CreateStore(value, b.CreatePtrAdd(at, bytes(sizeof(Word))));
      box = b.CreateAdd(b.CreatePtrToInt(at, b.getInt64Ty()), bytes(kBoxed));
      exit->setArgOperand(kTop, end);
    }
    p.use->set(box);
  }
  /// The heap's top at a way out; nullptr: it is not known.
  const Place* top_at(CallInst* exit) const {
    auto at = llvm::find_if(places_,
                            [&](const Place& p) { return p.use == &exit->getArgOperandUse(kTop); });
    return at == places_.end() ? nullptr : &*at;
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

  static bool asks_for_room(const Place& p) {
    auto* i = dyn_cast<BinaryOperator>(p.use->getUser());
    return (i && i->getOpcode() == Instruction::Sub) || isa<ICmpInst>(p.use->getUser());
  }
  /// What lies behind the box moves down; so does what asks for room, unless ways out need it.
  void close(int64_t box, Instruction* header, bool for_good) {
    for (const Place& p : places_) {
      if (p.at < box + kBoxBytes || (!for_good && asks_for_room(p))) continue;
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
  std::map<CallInst*, Value*> late_;
};

/// The pointers that boxes are stored relative to.
std::vector<Value*> tops_of(Function& f, const DataLayout& layout) {
  std::vector<Value*> tops;
  for (BasicBlock& b : f) {
    for (Instruction& i : b) {
      auto* store = dyn_cast<StoreInst>(&i);
      if (!store || !stores_float_header(*store)) continue;
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
