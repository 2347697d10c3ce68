// Takes away checks of floats that a later one makes, too.
//
// Every result must be finite. But what is not finite stays so through +, -, *, and as what is
// divided. So when a result goes into such an operator whose own result is always checked next,
// with the same way out (a deoptimisation point, ir_builder.h: all since then is done once more),
// the first check finds nothing that the second one would not.
#pragma once

#include <llvm/IR/Function.h>

namespace wb {

void remove_redundant_float_checks(llvm::Function& f);
/// The form of those that stay. |x| > the greatest is two instructions; what code generation makes
/// of |x| == infinity takes integer registers.
void compare_with_greatest(llvm::Function& f);

}  // namespace wb
