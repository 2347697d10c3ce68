// Registers that the interpreter keeps in memory (X registers from 3 on, float registers) become
// values of LLVM's own, in one function made by the stitcher.
//
// Each register that is named gets a slot: an alloca, filled from memory where the function begins
// and written back where it is left, so that whoever goes on finds all of them. A return leaves
// nothing but x0, and no call leaves a float: there they are not written. Whoever looks at
// registers in another way than by name (a call of C++, an index) finds them in memory, and memory
// is read again afterwards. LLVM then sees which of these loads and stores are for nothing.
#pragma once

#include <llvm/IR/Function.h>

namespace wb {

/// Put on the tail call that is a return.
constexpr char kReturnMark[] = "wb.return";

/// `exec`: the argument that is the Exec's address. `scope`, `no_scope`: the alias scopes its
/// memory is in, and is not in.
void promote_registers(llvm::Function& f, llvm::Argument* exec, llvm::MDNode* scope,
                       llvm::MDNode* no_scope);

}  // namespace wb
