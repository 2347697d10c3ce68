// Scalar replacement: takes away what was put on the heap for nothing: floats, match contexts,
// tuples.
//
// OTP's compiler puts a float that is used twice on the heap and reads it from there; a binary is
// matched at a position and the context not needed any more; a function in line returns a tuple
// that its caller takes apart. When LLVM has seen what is read, often
// nobody needs the words; but for LLVM memory beyond the heap's top is somebody's. Here it is known
// whose: an object that was made above the top, to whose address nothing leads, is not seen by
// anybody. Its words become values, and what comes behind them moves down, the heap's top as well,
// so that the heap has no holes.
//
// An object that only exits of the function name (an instruction that the interpreter does, a call)
// is made on those ways, at the top of there: there is room, for it takes no more than before.
//
// All addresses are offsets from one pointer, the top where a region of code begins (an argument or
// phi). An object is left where it is when somewhere behind it two ways meet that disagree about
// it, when a register that names it goes around a loop, or when something is computed from its bare
// address (LLVM may add the tag, or a step beyond it, where two ways have met).
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace wb {

/// True: some were, and there may be more to clean up. The tree stays as it is.
/// Stores that may begin an object: handlers do that at the heap's top. (Elsewhere, in a binary, a
/// number may look like a header.)
constexpr char kOnHeap[] = "whitebeam.heap";

bool replace_objects_by_scalars(llvm::Function& f, llvm::DominatorTree& tree);

}  // namespace wb
