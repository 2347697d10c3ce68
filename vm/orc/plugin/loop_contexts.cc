#include "vm/orc/plugin/loop_contexts.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopPeel.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <map>
#include <optional>
#include <set>

#include "term/binary.h"
#include "vm/orc/plugin/addresses.h"

namespace wb {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr Word kContextHeader = make_header(Kind::match_ctx, MatchContext::kWords - 1);

/// What a term is, as far as branches and stores tell.
class Kinds {
 public:
  Kinds(Function& f, const DominatorTree& tree) : tree_(tree), layout_(f.getDataLayout()) {
    for (BasicBlock& b : f) {
      for (Instruction& i : b) {
        auto* store = dyn_cast<StoreInst>(&i);
        if (store && match(store->getValueOperand(), m_SpecificInt(kContextHeader)))
          made_.push_back(store);
      }
    }
  }
  /// Is `term` a match context whenever control goes from one block to the other?
  bool is_context(Value* term, BasicBlock* from, BasicBlock* to, unsigned deep = 4) const {
    if (is_new(term, from) || is_tested(term, from, to)) return true;
    auto* phi = dyn_cast<PHINode>(term);
    if (!phi || deep == 0) return false;
    for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k) {
      Value* v = phi->getIncomingValue(k);
      if (v != term && !is_context(v, phi->getIncomingBlock(k), phi->getParent(), deep - 1))
        return false;
    }
    return true;
  }
  bool is_header_of(const Value* v, const Value* term) const {
    auto* load = dyn_cast<LoadInst>(v);
    if (!load || !load->getType()->isIntegerTy(64)) return false;
    BaseOffset a = accessed_address(*load, layout_);
    return a.base == term && a.at == -kBoxed;
  }

 private:
  bool is_new(Value* term, BasicBlock* at) const {
    BaseOffset a = address_of(term, layout_);
    return any_of(made_, [&](StoreInst* s) {
      BaseOffset header = accessed_address(*s, layout_);
      return header.base == a.base && header.at == a.at - kBoxed &&
             tree_.dominates(s, at->getTerminator());
    });
  }
  bool is_tested(Value* term, BasicBlock* from, BasicBlock* to) const {
    if (implies(from->getTerminator(), to, term)) return true;
    for (const DomTreeNode* n = tree_.getNode(from); n && n->getIDom(); n = n->getIDom()) {
      BasicBlock *b = n->getBlock(), *before = b->getSinglePredecessor();
      if (before && implies(before->getTerminator(), b, term)) return true;
    }
    return false;
  }
  /// Is this way only taken with a context?
  bool implies(const Instruction* end, const BasicBlock* to, const Value* term) const {
    Value *of = nullptr, *is = nullptr;
    if (auto* branch = dyn_cast<BranchInst>(end)) {
      ICmpInst::Predicate how;
      if (!branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
          !match(branch->getCondition(), m_ICmp(how, m_Value(of), m_Value(is)))) {
        return false;
      }
      bool equal = branch->getSuccessor(0) == to;
      if (how != (equal ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE)) return false;
    } else if (auto* choice = dyn_cast<SwitchInst>(end)) {
      of = choice->getCondition();
      is = const_cast<SwitchInst*>(choice)->findCaseDest(const_cast<BasicBlock*>(to));
      if (choice->getDefaultDest() == to) return false;
    }
    auto* number = dyn_cast_or_null<ConstantInt>(is);
    return number && only_contexts(of, number->getZExtValue(), term);
  }
  /// Is `v`, computed from a header, this number for contexts and nothing else?
  bool only_contexts(const Value* v, uint64_t number, const Value* term) const {
    for (Word kind = 0; kind < 32; ++kind) {
      constexpr Word kKind = 0xf8;
      Word header = (kContextHeader & ~kKind) | kind << 3;
      std::optional<uint64_t> n = value_of(v, header, term);
      if (!n || (*n == number) != (header == kContextHeader)) return false;
    }
    return true;
  }
  std::optional<uint64_t> value_of(const Value* v, Word header, const Value* term) const {
    if (is_header_of(v, term)) return header;
    Value* from = nullptr;
    ConstantInt* with = nullptr;
    uint64_t mask = v->getType()->isIntegerTy() ? v->getType()->getIntegerBitWidth() : 0;
    if (mask == 0 || mask > 64) return {};
    mask = ~uint64_t{0} >> (64 - mask);
    auto then = [&](auto f) -> std::optional<uint64_t> {
      std::optional<uint64_t> n = value_of(from, header, term);
      if (!n) return n;
      return f(*n, with ? with->getZExtValue() : 0) & mask;
    };
    if (match(v, m_Trunc(m_Value(from))) || match(v, m_ZExt(m_Value(from))))
      return then([](uint64_t a, uint64_t) { return a; });
    if (match(v, m_And(m_Value(from), m_ConstantInt(with))))
      return then([](uint64_t a, uint64_t b) { return a & b; });
    if (match(v, m_LShr(m_Value(from), m_ConstantInt(with))))
      return then([](uint64_t a, uint64_t b) { return a >> (b & 63); });
    if (match(v, m_Add(m_Value(from), m_ConstantInt(with))))
      return then([](uint64_t a, uint64_t b) { return a + b; });
    return {};
  }

  const DominatorTree& tree_;
  const DataLayout& layout_;
  std::vector<StoreInst*> made_;
};

/// Tests of a context are known.
void assume_context(const Loop& loop, PHINode* term, const Kinds& kinds) {
  for (BasicBlock* b : loop.blocks()) {
    for (Instruction& i : *b) {
      if (kinds.is_header_of(&i, term)) {
        i.replaceAllUsesWith(ConstantInt::get(i.getType(), kContextHeader));
      } else if (match(&i, m_And(m_Specific(term), m_SpecificInt(3)))) {
        i.replaceAllUsesWith(ConstantInt::get(i.getType(), kBoxed));
      }
    }
  }
}

bool is_of_context(const Instruction& i) {
  const MDNode* scopes = i.getMetadata(LLVMContext::MD_alias_scope);
  if (!scopes) return false;
  return any_of(scopes->operands(), [](const MDOperand& o) {
    return AliasScopeNode(cast<MDNode>(o)).getName() == kContextScope;
  });
}

/// One context in one loop.
class Kept {
 public:
  Kept(Function& f, const Loop& loop, Value* term)
      : f_(f), loop_(loop), term_(term), layout_(f.getDataLayout()) {}
  void run() {
    if (!loop_.isLoopInvariant(term_) || !loop_.getLoopPreheader() || !loop_.hasDedicatedExits())
      return;
    if (!find() || words_.empty()) return;
    begin();
    for (auto& [at, users] : words_) {
      for (Instruction* i : users) use(i, at);
    }
    for (CallInst* call : calls_) around(call);
    end();
  }

 private:
  static constexpr int64_t kEnd = offsetof(MatchContext, end);
  static constexpr int64_t kPosition = offsetof(MatchContext, position);
  static constexpr int64_t kStart = offsetof(MatchContext, start);
  static constexpr int64_t kBase = offsetof(MatchContext, base);

  /// What the loop does with it. False: that is not known.
  bool find() {
    std::set<const Value*> derived = derived_from(term_);
    for (BasicBlock* b : loop_.blocks()) {
      for (Instruction& i : *b) {
        if (auto* call = dyn_cast<CallInst>(&i)) {
          if (calls_out(*call)) calls_.push_back(call);
          continue;
        }
        const Value* pointer = getLoadStorePointerOperand(&i);
        if (!pointer) continue;
        BaseOffset a = accessed_address(i, layout_);
        if (a.base == term_) {
          if (!note(i, a.at + kBoxed)) return false;
        } else if (derived.contains(pointer) ||
                   (is_of_context(i) && !a.base->getType()->isPointerTy())) {
          return false;
        }
      }
    }
    return true;
  }
  bool note(Instruction& i, int64_t at) {
    bool whole = getLoadStoreType(&i)->isIntegerTy(64);
    if (!whole || at < kEnd || at > kBase || at % static_cast<int64_t>(sizeof(Word)) != 0) {
      return isa<LoadInst>(i) && at < kEnd;  // a look at the header
    }
    if (isa<StoreInst>(i)) {
      if (at != kPosition) return false;
      moves_ = true;
    }
    words_[at].push_back(&i);
    return true;
  }

  Value* word_of(IRBuilder<>& b, Value* term, int64_t at) {
    Value* address = b.CreateAdd(term, b.getInt64(static_cast<uint64_t>(at - kBoxed)));
    return b.CreateIntToPtr(address, b.getPtrTy());
  }
  Value* read(IRBuilder<>& b, Value* term, int64_t at) {
    return b.CreateLoad(b.getInt64Ty(), word_of(b, term, at));
  }
  void begin() {
    IRBuilder<> b(loop_.getLoopPreheader()->getTerminator());
    slot_ = new AllocaInst(b.getInt64Ty(), 0, "", f_.getEntryBlock().begin());
    b.CreateStore(read(b, term_, kPosition), slot_);
    for (int64_t at : {kEnd, kStart, kBase}) {
      if (words_.contains(at)) fixed_[at] = read(b, term_, at);
    }
    if (words_.contains(kBase)) begin_base(b);
  }
  /// The base never becomes another kind; where its bytes are, calls may change.
  void begin_base(IRBuilder<>& b) {
    Value *base = fixed_[kBase], *header = read(b, base, 0), *second = nullptr;
    if (calls_.empty()) second = read(b, base, sizeof(Word));
    std::set<const Value*> read_in_loop(words_[kBase].begin(), words_[kBase].end());
    for (BasicBlock* block : loop_.blocks()) {
      for (Instruction& i : *block) {
        auto* load = dyn_cast<LoadInst>(&i);
        if (!load || !load->getType()->isIntegerTy(64)) continue;
        BaseOffset a = accessed_address(*load, layout_);
        if (!read_in_loop.contains(a.base)) continue;
        if (a.at == -kBoxed) load->replaceAllUsesWith(header);
        if (a.at == static_cast<int64_t>(sizeof(Word)) - kBoxed && second)
          load->replaceAllUsesWith(second);
      }
    }
  }
  void use(Instruction* i, int64_t at) {
    if (at != kPosition) return i->replaceAllUsesWith(fixed_[at]);
    i->setOperand(isa<LoadInst>(i) ? 0 : 1, slot_);
    i->setMetadata(LLVMContext::MD_alias_scope, nullptr);
    i->setMetadata(LLVMContext::MD_noalias, nullptr);
  }
  void write_back(IRBuilder<>& b) {
    if (moves_) b.CreateStore(b.CreateLoad(b.getInt64Ty(), slot_), word_of(b, term_, kPosition));
  }
  void around(CallInst* call) {
    IRBuilder<> before(call), after(call->getNextNode());
    write_back(before);
    after.CreateStore(read(after, term_, kPosition), slot_);
  }
  void end() {
    SmallVector<BasicBlock*> exits;
    loop_.getUniqueExitBlocks(exits);
    for (BasicBlock* b : exits) {
      IRBuilder<> at(&*b->getFirstInsertionPt());
      write_back(at);
    }
  }

  Function& f_;
  const Loop& loop_;
  Value* const term_;
  const DataLayout& layout_;
  std::map<int64_t, std::vector<Instruction*>> words_;  ///< who reads and writes them
  std::vector<CallInst*> calls_;
  bool moves_ = false;
  AllocaInst* slot_ = nullptr;       ///< the position
  std::map<int64_t, Value*> fixed_;  ///< what else is read
};

size_t size_of(const Loop& loop) {
  size_t n = 0;
  for (BasicBlock* b : loop.blocks()) n += b->size();
  return n;
}

}  // namespace

/// The registers that hold contexts from the second round on.
static std::vector<PHINode*> contexts_of(const Loop& loop, const Kinds& kinds) {
  constexpr size_t kLargest = 1000;
  std::vector<PHINode*> contexts;
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!latch || size_of(loop) > kLargest) return contexts;
  for (PHINode& phi : header->phis()) {
    bool may = phi.getType()->isIntegerTy(64) &&
               kinds.is_context(phi.getIncomingValueForBlock(latch), latch, header);
    if (may) contexts.push_back(&phi);
  }
  return contexts;
}

bool has_contexts(Function& f, FunctionAnalysisManager& analyses) {
  if (none_of(instructions(f), is_of_context)) return false;
  Kinds kinds(f, analyses.getResult<DominatorTreeAnalysis>(f));
  return any_of(analyses.getResult<LoopAnalysis>(f).getTopLevelLoops(),
                [&](const Loop* loop) { return !contexts_of(*loop, kinds).empty(); });
}

KnownContexts peel_contexts(Function& f, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(f);
  auto& tree = analyses.getResult<DominatorTreeAnalysis>(f);
  KnownContexts known;
  for (Loop* loop : loops.getTopLevelLoops()) {
    Kinds kinds(f, tree);
    std::vector<PHINode*> contexts = contexts_of(*loop, kinds);
    if (contexts.empty() || !canPeel(loop)) continue;
    ValueToValueMapTy map;
    auto& numbers = analyses.getResult<ScalarEvolutionAnalysis>(f);
    auto& assumed = analyses.getResult<AssumptionAnalysis>(f);
    if (!peelLoop(loop, 1, &loops, &numbers, tree, &assumed, true, map)) continue;
    for (PHINode* phi : contexts) {
      assume_context(*loop, phi, kinds);
      known.push_back({phi, loop->getHeader()});
    }
  }
  return known;
}

void promote_positions(Function& f, const LoopInfo& loops, const KnownContexts& contexts) {
  for (const KnownContext& known : contexts) {
    if (!known.term || !known.header) continue;
    auto* header = dyn_cast<BasicBlock>(known.header);
    Loop* loop = header ? loops.getLoopFor(header) : nullptr;
    if (loop && loop->getHeader() == header && !loop->getParentLoop())
      Kept(f, *loop, known.term).run();
  }
}

}  // namespace wb
