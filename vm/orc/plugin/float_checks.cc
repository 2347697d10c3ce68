#include "vm/orc/plugin/float_checks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <cfloat>
#include <map>
#include <set>
#include <vector>

namespace wb {

using namespace llvm;

namespace {

/// A comparison with infinity.
FCmpInst* with_infinity(Value* v) {
  auto* compare = dyn_cast<FCmpInst>(v);
  auto* with = compare ? dyn_cast<ConstantFP>(compare->getOperand(1)) : nullptr;
  bool fits = with && with->getType()->isDoubleTy() && with->isInfinity() && !with->isNegative();
  return fits ? compare : nullptr;
}

struct Check {
  FCmpInst* compare;
  Value* what;
  BasicBlock *block, *good, *bad;
};

class Checks {
 public:
  explicit Checks(Function& f) {
    for (BasicBlock& b : f) {
      auto* branch = dyn_cast<BranchInst>(b.getTerminator());
      if (!branch || !branch->isConditional()) continue;
      for (unsigned bad = 0; bad < 2; ++bad) {
        BasicBlock* out = branch->getSuccessor(bad);
        if (!succ_empty(out) || !out->phis().empty()) continue;
        find(branch->getCondition(), bad == 0,
             {nullptr, nullptr, &b, branch->getSuccessor(1 - bad), out});
      }
    }
  }
  void drop() {
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      Check c = of_.at(*it);
      if (!is_made_later(c, c.what, kDeepest)) continue;
      of_.erase(*it);
      bool is_bad = c.compare->getPredicate() == CmpInst::FCMP_UEQ;
      c.compare->replaceAllUsesWith(ConstantInt::getBool(c.compare->getContext(), !is_bad));
    }
  }

 private:
  static constexpr unsigned kDeepest = 6, kFarthest = 32;
  /// The checks that a condition consists of: one of them is enough to go out when it is true (or
  /// when it is not, and then they are the other way round).
  void find(Value* condition, bool when, Check c) {
    Value *left, *right;
    using namespace PatternMatch;
    if (when ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
             : match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))) {
      if (!condition->hasOneUse()) return;
      find(left, when, c);
      return find(right, when, c);
    }
    c.compare = with_infinity(condition);
    CmpInst::Predicate wanted = when ? CmpInst::FCMP_UEQ : CmpInst::FCMP_ONE;
    if (!c.compare || c.compare->getPredicate() != wanted || !c.compare->hasOneUse()) return;
    c.what = c.compare->getOperand(0);
    match(c.what, m_FAbs(m_Value(c.what)));
    if (of_.try_emplace(c.what, c).second) order_.push_back(c.what);
  }
  /// Does `user` give no finite value when `x` is none?
  static bool hands_on(const User* user, const Value* x) {
    switch (Operator::getOpcode(user)) {
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FMul:
        return true;
      case Instruction::FDiv:
        return user->getOperand(0) == x;
      default:
        return false;
    }
  }
  bool is_made_later(const Check& c, Value* x, unsigned deep) const {
    if (deep == 0) return false;
    for (User* u : x->users()) {
      if (!hands_on(u, x)) continue;
      auto it = of_.find(u);
      bool same_way = it != of_.end() && it->second.bad == c.bad;
      if (same_way && is_always_next(c, it->second.block)) return true;
      if (is_made_later(c, u, deep - 1)) return true;
    }
    return false;
  }
  /// Do all ways on from a check come to `to`, or out by the check's own way?
  static bool is_always_next(const Check& c, const BasicBlock* to) {
    if (c.block == to) return true;
    std::set<const BasicBlock*> seen{to, c.bad};
    std::vector<const BasicBlock*> todo{c.good};
    while (!todo.empty()) {
      const BasicBlock* b = todo.back();
      todo.pop_back();
      if (!seen.insert(b).second) continue;
      if (b == c.block || succ_empty(b) || seen.size() > kFarthest) return false;
      todo.insert(todo.end(), succ_begin(b), succ_end(b));
    }
    return true;
  }

  std::map<Value*, Check> of_;  ///< by what is checked
  std::vector<Value*> order_;
};

}  // namespace

void remove_redundant_float_checks(Function& f) { Checks(f).drop(); }

void compare_with_greatest(Function& f) {
  for (BasicBlock& b : f) {
    for (Instruction& i : b) {
      FCmpInst* compare = with_infinity(&i);
      if (!compare) continue;
      if (compare->getPredicate() == CmpInst::FCMP_UEQ) {
        compare->setPredicate(CmpInst::FCMP_UGT);
      } else if (compare->getPredicate() == CmpInst::FCMP_ONE) {
        compare->setPredicate(CmpInst::FCMP_OLE);
      } else {
        continue;
      }
      compare->setOperand(1, ConstantFP::get(Type::getDoubleTy(f.getContext()), DBL_MAX));
    }
  }
}

}  // namespace wb
