#include "vm/orc/plugin/addresses.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

namespace wb {

using namespace llvm;
using namespace llvm::PatternMatch;

BaseOffset base_of(const Value* pointer, const DataLayout& layout) {
  APInt offset(64, 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {const_cast<Value*>(base), offset.getSExtValue()};
}

BaseOffset address_of(Value* v, const DataLayout& layout) {
  int64_t at = 0;
  for (;;) {
    if (v->getType()->isPointerTy()) {
      BaseOffset pointer = base_of(v, layout);
      v = pointer.base, at += pointer.at;
    }
    ConstantInt* number = nullptr;
    Value* from = nullptr;
    if (match(v, m_PtrToInt(m_Value(from))) || match(v, m_IntToPtr(m_Value(from)))) {
      v = from;
    } else if (match(v, m_AddLike(m_Value(from), m_ConstantInt(number)))) {
      v = from, at += number->getSExtValue();
    } else {
      return {v, at};
    }
  }
}

std::set<const Value*> derived_from(Value* from) {
  std::set<const Value*> derived;
  std::vector<Value*> todo{from};
  while (!todo.empty()) {
    Value* v = todo.back();
    todo.pop_back();
    if (!derived.insert(v).second) continue;
    for (User* u : v->users()) {
      if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst, BinaryOperator>(u))
        todo.push_back(u);
    }
  }
  return derived;
}

bool calls_out(const CallInst& call) {
  bool harmless = call.isMustTailCall() || call.isInlineAsm() ||
                  (isa<IntrinsicInst>(call) && !isa<MemIntrinsic>(call));
  return !harmless;
}

}  // namespace wb
