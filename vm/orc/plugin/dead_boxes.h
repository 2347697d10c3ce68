// Takes away floats that were put on the heap for nothing.
//
// OTP's compiler puts a float that is used twice on the heap and reads it from there. When LLVM has
// seen what is read, often nobody needs the two words any more; but for LLVM memory beyond the
// heap's top is somebody's. Here it is known whose: words that were stored above the top, to whose
// address nothing leads, are not seen by anybody. Their stores go, and what comes behind them moves
// down, the heap's top as well, so that the heap has no holes.
//
// A box that only ways out of the function tell of (an instruction that the interpreter does, a
// call) is made on those ways, at the top of there: there is room, for it takes no more than
// before.
//
// All places are offsets from one pointer, the top where a stretch of code begins (an argument or
// phi). A box is left where it is when somewhere behind it two ways meet that disagree about it.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace wb {

/// True: some were, and there may be more to clean up.
bool drop_dead_boxes(llvm::Function& f, const llvm::DominatorTree& tree);

}  // namespace wb
