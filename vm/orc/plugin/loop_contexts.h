// Loops that match a binary: the position goes around as a number.
//
// A function that takes a binary apart and calls itself with the rest passes its match context on.
// The first time around the register may hold a binary, of which a context is made; from then on it
// holds that context for sure. So the first round is taken out of the loop (peel_contexts), the
// loop's own tests are known, and the context is the same all the time. Then what stands in it is
// read before the loop, its position is kept in a value, and written back where the loop is left or
// something is called (promote_positions); where the bytes are need not be asked anew for each.
//
// Nobody else reads or writes the words of a context but instructions that match, and theirs are
// marked by an alias scope (IrBuilder::add_scopes): when one of them might mean this context under
// another name, all stays as it is.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>

#include <vector>

namespace wb {

constexpr char kContextScope[] = "match context";

/// A term that is a context in the loop that begins with a block.
struct KnownContext {
  llvm::WeakTrackingVH term, header;
};
using KnownContexts = std::vector<KnownContext>;
/// Are there any in `f`? If not, it need not be brought into the form that the others want.
bool has_contexts(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
/// Those of `f`, whose loops are in simple form. Without any, nothing was changed.
KnownContexts peel_contexts(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
void promote_positions(llvm::Function& f, const llvm::LoopInfo& loops,
                       const KnownContexts& contexts);

}  // namespace wb
