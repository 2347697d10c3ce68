// From the interpreter up: a function that was called often gets native code (vm/jit), one in which
// slices end again and again is compiled by LLVM.
#pragma once

#include "vm/process/exec.h"

namespace wb {

struct Module;

/// The function at `entry`, whose arguments are in x, has been called often enough. Afterwards its
/// calls are not counted any more, or the count begins again.
void compile_function(Exec& c, const Word* entry);
/// A slice has ended at `entry`. The module of the function if its hot code is for other funs or
/// numbers than it is called with by now; else nullptr.
const Module* sample_function(Exec& c, const Word* entry);

}  // namespace wb
