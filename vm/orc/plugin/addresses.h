// Addresses in memory as LLVM's values give them.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <set>

#include "term/term.h"

namespace wb {

constexpr Word kFloatHeader = make_header(Kind::flo, 1);
/// What a term that leads to a heap object is more than its address.
constexpr int64_t kBoxed = 2;

/// An address as a base and an offset in bytes, through casts and sums.
struct BaseOffset {
  llvm::Value* base;
  int64_t at;
};
BaseOffset address_of(llvm::Value* v, const llvm::DataLayout& layout);
/// The same of a pointer, through steps between pointers only.
BaseOffset base_of(const llvm::Value* pointer, const llvm::DataLayout& layout);
/// Of what a load or store names.
inline BaseOffset accessed_address(const llvm::Instruction& i, const llvm::DataLayout& layout) {
  return address_of(const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&i)), layout);
}

/// All that is computed from a pointer or term, itself, too.
std::set<const llvm::Value*> derived_from(llvm::Value* from);
/// Is it a call of a function that may look at memory? (Tail calls are ways out, not calls.)
bool calls_out(const llvm::CallInst& call);

}  // namespace wb
