#include "vm/orc/plugin/scalar_replacement.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>
#include <vector>

#include "vm/orc/plugin/addresses.h"

namespace wb {

using namespace llvm;

namespace {

constexpr int64_t kWord = sizeof(Word);
constexpr uint64_t kLargest = 32;  ///< words of an object
constexpr unsigned kTop = 2;       ///< the argument that is the heap's top

/// The header that is stored, of an object that may go; 0: it is none.
Word stored_header(const StoreInst& s) {
  auto* word = dyn_cast<ConstantInt>(s.getValueOperand());
  if (!word || word->getBitWidth() != 64 || !s.hasMetadata(kOnHeap)) return 0;
  Word h = word->getZExtValue();
  Kind kind = header_kind(h);
  bool may = kind == Kind::flo || kind == Kind::match_ctx || kind == Kind::tuple;
  uint64_t size = header_size(h);
  return may && size > 0 && size < kLargest && h == make_header(kind, size) ? h : 0;
}

/// A use of an address that is this far from the top.
struct PointerUse {
  Use* use;
  int64_t at;
};

class Region {
 public:
  Region(Value* top, DominatorTree& tree, const DataLayout& layout)
      : top_(top), tree_(tree), layout_(layout) {
    follow(top, 0);
  }
  bool replace_one() {
    for (const PointerUse& p : uses_) {
      auto* store = dyn_cast<StoreInst>(p.use->getUser());
      if (!store || !is_address(*p.use) || !stored_header(*store) || exit_of(store)) continue;
      Object o{store, store, p.at,
               (static_cast<int64_t>(header_size(stored_header(*store))) + 1) * kWord};
      find_first(&o);
      if (!may_go(o)) continue;
      drop(o);
      return true;
    }
    return false;
  }

 private:
  struct Object {
    StoreInst *header, *first;  ///< `first`: where it begins to be made, in the same block
    int64_t at, bytes;
    int64_t end() const { return at + bytes; }
  };

  /// Finds what uses `v`, which is `at` bytes from the top. Sums with constants are followed.
  void follow(Value* v, int64_t at) {
    for (Use& u : v->uses()) {
      auto* i = cast<Instruction>(u.getUser());
      int64_t more = 0;
      if (is_step(*i, u, &more)) {
        follow(i, at + more);
      } else {
        uses_.push_back({&u, at});
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

  /// Is it where something is read or written?
  static bool is_address(const Use& u) {
    auto* store = dyn_cast<StoreInst>(u.getUser());
    return store ? u.getOperandNo() == StoreInst::getPointerOperandIndex()
                 : isa<LoadInst>(u.getUser());
  }
  /// A whole word that is read or written.
  bool is_word(const PointerUse& p, const Object& o) const {
    auto* i = cast<Instruction>(p.use->getUser());
    if (!is_address(*p.use) || (p.at - o.at) % kWord != 0 || i->isVolatile()) return false;
    return layout_.getTypeStoreSize(getLoadStoreType(i)) == static_cast<uint64_t>(kWord);
  }

  static Instruction* position(const Use& u) {
    auto* i = cast<Instruction>(u.getUser());
    auto* phi = dyn_cast<PHINode>(i);
    return phi ? phi->getIncomingBlock(u)->getTerminator() : i;
  }
  /// Does nothing lead to the object but ways out, and is it known of all that lies behind it that
  /// it does?
  bool may_go(const Object& o) const {
    for (const PointerUse& p : uses_) {
      Instruction* where = position(*p.use);
      if (p.use->getUser() == o.header) continue;
      if (p.at <= o.at && (p.at != o.at || !is_access(p))) {
        if (may_escape(p) && (belongs(o, where) || is_behind(o.first, where))) return false;
        continue;
      }
      if (!belongs(o, where)) {
        if (is_behind(o.first, where)) return false;
        if (p.at < o.end() && is_behind(where, o.first)) return false;
        continue;
      }
      if (p.at < o.end() && !is_word(p, o) && !is_way_out(p, o)) return false;
    }
    return true;
  }
  /// Is something computed from an address as it is, so that nobody knows where it leads to? LLVM
  /// likes to add later what is added on both of two ways, also the tag. (A term only leads to its
  /// own words.)
  bool may_escape(const PointerUse& p) const {
    if (p.at % kWord != 0 || is_access(p) || checks_heap_space(p)) return false;
    auto* i = cast<Instruction>(p.use->getUser());
    CallInst* exit = exit_of(i);
    bool is_top = exit && p.use == &exit->getArgOperandUse(kTop);
    return !is_top && !isa<AssumeInst>(i);
  }
  /// Words may be written before the header.
  void find_first(Object* o) const {
    for (const PointerUse& p : uses_) {
      auto* store = dyn_cast<StoreInst>(p.use->getUser());
      if (!store || p.at < o->at || p.at >= o->end() || !is_word(p, *o)) continue;
      if (store->getParent() == o->header->getParent() && store->comesBefore(o->first))
        o->first = store;
    }
  }
  bool belongs(const Object& o, const Instruction* where) const {
    return where == o.first || tree_.dominates(o.first, where);
  }
  void drop(const Object& o) {
    std::vector<PointerUse> words, escaping;
    for (const PointerUse& p : uses_) {
      if (p.at < o.at || p.at >= o.end() || !belongs(o, position(*p.use))) continue;
      if (p.at == o.at && !is_access(p)) continue;
      (is_address(*p.use) ? words : escaping).push_back(p);
    }
    close(o, escaping.empty());
    begin_slots(o);
    for (const PointerUse& p : escaping) materialise(p, o);
    for (const PointerUse& p : words) use_slot(p, o);
    o.header->eraseFromParent();
    PromoteMemToReg(slots_, tree_);
  }
  void begin_slots(const Object& o) {
    IRBuilder<> b(&*o.header->getFunction()->getEntryBlock().begin());
    for (int64_t at = 0; at < o.bytes; at += kWord) {
      slots_.push_back(b.CreateAlloca(b.getInt64Ty()));
    }
    new StoreInst(o.header->getValueOperand(), slots_[0], o.header->getIterator());
  }
  /// A word that was in memory is a value.
  void use_slot(const PointerUse& p, const Object& o) {
    auto* i = cast<Instruction>(p.use->getUser());
    AllocaInst* slot = slots_[static_cast<size_t>((p.at - o.at) / kWord)];
    if (i == o.header) return;
    IRBuilder<> b(i);
    if (auto* store = dyn_cast<StoreInst>(i)) {
      Value* word = b.CreateBitOrPointerCast(store->getValueOperand(), b.getInt64Ty());
      b.CreateStore(word, slot);
      if (auto late = late_.find(exit_of(i)); late != late_.end()) {  // it has been made already
        Value* at =
            b.CreateAdd(late->second, b.getInt64(static_cast<uint64_t>(p.at - o.at - kBoxed)));
        b.CreateStore(word, b.CreateIntToPtr(at, b.getPtrTy()));
      }
    } else {
      i->replaceAllUsesWith(
          b.CreateBitOrPointerCast(b.CreateLoad(b.getInt64Ty(), slot), i->getType()));
    }
    i->eraseFromParent();
  }
  /// The tail call that a block ends with.
  static CallInst* exit_of(Instruction* i) { return i->getParent()->getTerminatingMustTailCall(); }
  /// Is the object only named on an exit, and can it be made there?
  bool is_way_out(const PointerUse& p, const Object& o) const {
    auto* i = cast<Instruction>(p.use->getUser());
    CallInst* exit = exit_of(i);
    if (!exit || isa<PHINode>(i) || p.at != o.at + kBoxed) return false;
    bool escaping = i == exit || (isa<StoreInst>(i) && p.use->getOperandNo() == 0);
    if (!escaping || p.use->get()->getType()->isPointerTy()) return false;
    const PointerUse* top = top_at(exit);
    return top && top->at >= o.end();
  }
  /// Materialises the object where it is named, once for each exit: just below the top of there,
  /// which stays where it was.
  void materialise(const PointerUse& p, const Object& o) {
    CallInst* exit = exit_of(cast<Instruction>(p.use->getUser()));
    Value*& term = late_[exit];
    if (!term) {
      IRBuilder<> b(&*exit->getParent()->getFirstInsertionPt());
      auto bytes = [&](int64_t n) { return b.getInt64(static_cast<uint64_t>(n)); };
      Value* end = b.CreatePtrAdd(top_, bytes(top_at(exit)->at));
      Value* at = b.CreatePtrAdd(end, bytes(-o.bytes));
      b.CreateStore(o.header->getValueOperand(), at);
      for (size_t k = 1; k < slots_.size(); ++k) {
        Value* word = b.CreateLoad(b.getInt64Ty(), slots_[k]);
        b.CreateStore(word, b.CreatePtrAdd(at, bytes(static_cast<int64_t>(k) * kWord)));
      }
      term = b.CreateAdd(b.CreatePtrToInt(at, b.getInt64Ty()), bytes(kBoxed));
      exit->setArgOperand(kTop, end);
    }
    p.use->set(term);
  }
  /// The heap's top at a way out; nullptr: it is not known.
  const PointerUse* top_at(CallInst* exit) const {
    auto at = llvm::find_if(
        uses_, [&](const PointerUse& p) { return p.use == &exit->getArgOperandUse(kTop); });
    return at == uses_.end() ? nullptr : &*at;
  }
  /// Is it read or written there? Otherwise it is where the heap's top is, or is compared with.
  static bool is_access(const PointerUse& p) {
    auto* i = cast<Instruction>(p.use->getUser());
    if (auto* call = dyn_cast<CallInst>(i)) return !call->isMustTailCall() && !isa<AssumeInst>(i);
    return isa<LoadInst>(i) ||
           (isa<StoreInst>(i) && p.use->getOperandNo() == StoreInst::getPointerOperandIndex());
  }
  /// Can one come from `from` to `to` before the stretch begins anew?
  bool is_behind(const Instruction* from, const Instruction* to) const {
    const BasicBlock *start = from->getParent(), *end = to->getParent();
    if (start == end && from->comesBefore(to)) return true;
    auto* phi = dyn_cast<PHINode>(top_);
    SmallPtrSet<const BasicBlock*, 32> seen;
    if (phi) seen.insert(phi->getParent());
    SmallVector<const BasicBlock*, 32> todo(successors(start));
    while (!todo.empty()) {
      const BasicBlock* b = todo.pop_back_val();
      if (!seen.insert(b).second) continue;
      if (b == end) return true;
      append_range(todo, successors(b));
    }
    return false;
  }

  static bool checks_heap_space(const PointerUse& p) {
    auto* i = dyn_cast<BinaryOperator>(p.use->getUser());
    return (i && i->getOpcode() == Instruction::Sub) || isa<ICmpInst>(p.use->getUser());
  }
  /// What lies behind the object moves down; so does what asks for room, unless ways out need it.
  void close(const Object& o, bool for_good) {
    for (const PointerUse& p : uses_) {
      if (p.at < o.end() || (!for_good && checks_heap_space(p))) continue;
      Instruction* where = position(*p.use);
      if (!belongs(o, where)) continue;
      IRBuilder<> b(where);
      auto down = static_cast<uint64_t>(-o.bytes);
      Value* v = p.use->get();
      p.use->set(v->getType()->isPointerTy()
                     ? b.CreatePtrAdd(v, b.getInt64(down))
                     : b.CreateAdd(v, ConstantInt::get(v->getType(), down)));
    }
  }

  Value* const top_;
  DominatorTree& tree_;
  const DataLayout& layout_;
  std::vector<PointerUse> uses_;
  std::vector<AllocaInst*> slots_;  ///< the words of the object that goes
  std::map<CallInst*, Value*> late_;
};

/// How far `other` is from `top` at each way in, if that is never below it; -1: they differ, or it
/// may be below; kApart: it has nothing to do with what is above.
constexpr int64_t kDiffer = -1, kApart = -2;
int64_t distance(const PHINode& other, const PHINode& top, const DataLayout& layout) {
  int64_t all = kApart;
  bool first = true;
  for (unsigned k = 0; k < top.getNumIncomingValues(); ++k) {
    BaseOffset a = address_of(other.getIncomingValueForBlock(top.getIncomingBlock(k)), layout);
    BaseOffset b = address_of(top.getIncomingValue(k), layout);
    int64_t at = a.base == b.base && a.at >= b.at ? a.at - b.at : kApart;
    if (!first && at != all) return kDiffer;
    all = at, first = false;
  }
  return all;
}
/// The same pointer may go two ways, as one and as a number (GVN likes to keep both): all places
/// are to be found from one. False: not of this one.
bool join_twins(PHINode* top, const DataLayout& layout) {
  for (PHINode& other : make_early_inc_range(top->getParent()->phis())) {
    if (&other == top) continue;
    int64_t at = distance(other, *top, layout);
    if (at == kDiffer) return false;
    if (at == kApart) continue;
    IRBuilder<> b(&*top->getParent()->getFirstInsertionPt());
    Value* address = b.CreatePtrAdd(top, b.getInt64(static_cast<uint64_t>(at)));
    other.replaceAllUsesWith(b.CreateBitOrPointerCast(address, other.getType()));
    other.eraseFromParent();
  }
  return true;
}

/// The pointers that objects are stored relative to.
std::vector<WeakVH> tops_of(Function& f, const DataLayout& layout) {
  std::vector<WeakVH> tops;
  for (BasicBlock& b : f) {
    for (Instruction& i : b) {
      auto* store = dyn_cast<StoreInst>(&i);
      if (!store || !stored_header(*store)) continue;
      Value* top = base_of(store->getPointerOperand(), layout).base;
      if (!isa<PHINode, Argument>(top)) continue;
      if (!is_contained(tops, top)) tops.push_back(top);
    }
  }
  return tops;
}

}  // namespace

bool replace_objects_by_scalars(Function& f, DominatorTree& tree) {
  const DataLayout& layout = f.getParent()->getDataLayout();
  bool any = false;
  for (const WeakVH& top : tops_of(f, layout)) {
    if (!top) continue;  // a twin
    if (auto* phi = dyn_cast<PHINode>(top); phi && !join_twins(phi, layout)) continue;
    while (Region(top, tree, layout).replace_one()) any = true;
  }
  return any;
}

}  // namespace wb
