// Which stack slots values point to, in a function made by the IR builder.
//
// Slots are counted in bytes from where the stack's top was when the function began. What comes of
// the argument by constant steps is known; so is what a handler reads from the process after a call
// of C++: the stack may have moved, but its top is where the handler left it. Where several ways
// meet all must come with the same slot, or nothing at all is known.
#pragma once

#include <llvm/IR/Instructions.h>

#include <map>
#include <optional>

#include "vm/orc/plugin/registers.h"

namespace wb {

/// How many bytes from the Process's begin `pointer` is, if it is got from the Exec.
std::optional<int64_t> offset_in_process(const llvm::Value* pointer, const llvm::Value* exec,
                                         const llvm::DataLayout& layout);

class StackSlots {
 public:
  explicit StackSlots(const Promoted& p);
  /// Nothing: it is not known, or does not point there.
  std::optional<int64_t> of(const llvm::Value* v);
  /// Have two paths come with different slots?
  bool is_contradicted() const { return contradicted_; }

 private:
  std::optional<int64_t> find(const llvm::Value* base);

  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, const llvm::Value*> saved_;  ///< of what is read, what was left
  std::map<const llvm::Value*, std::optional<int64_t>> known_;
  bool contradicted_ = false;
};

}  // namespace wb
