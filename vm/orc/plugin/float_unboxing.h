// Unboxes floats that a loop makes anew each time around: they are read from the heap only the
// first time.
//
// A register that holds a float goes around a loop as the address of its box; what is in the box is
// read by the next iteration, which waits for what the last has just stored. The number goes around
// beside it now. What it is at first is read before the loop, if it is a float at all; a dummy (the
// Exec's first words) stands in if not, and nobody looks at it.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace wb {

/// True: some do.
bool unbox_floats_in_loops(llvm::Function& f, const llvm::DominatorTree& tree);

}  // namespace wb
