#include "vm/orc/plugin/addresses.h"

#include <llvm/IR/PatternMatch.h>

namespace wb {

using namespace llvm;
using namespace llvm::PatternMatch;

Address address_of(Value* v, const DataLayout& layout) {
  int64_t at = 0;
  for (;;) {
    APInt offset(64, 0);
    if (v->getType()->isPointerTy()) {
      v = v->stripAndAccumulateConstantOffsets(layout, offset, true);
      at += offset.getSExtValue();
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

}  // namespace wb
