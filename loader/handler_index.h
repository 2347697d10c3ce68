// From a handler's address back to its index (bytecode/instructions.h), and over loaded code from
// one instruction to the next. Code has no lengths in it: an instruction's size follows from its
// operand letters, the count of its list, and the address of its continuation.
//
// Handlers that share one address (they do the same with the same operands) share the first's
// index.
#pragma once

#include <vector>

#include "bytecode/instructions.h"
#include "loader/code.h"

namespace wb {

constexpr unsigned kNoHandler = 0xffff;

class HandlerIndex {
 public:
  explicit HandlerIndex(const Word* handlers);
  /// kNoHandler: that is no handler's address.
  unsigned find(Word address) const;

 private:
  struct Entry {
    uint32_t distance = 0;  ///< of its address from the lowest handler's
    uint16_t index = kNoHandler;
  };
  Word lowest_;
  std::vector<Entry> table_;  ///< open addressing
};

/// Words of the instruction `i` that stands at `at`; `end` is where its code ends. 0: it is cut
/// off.
size_t loaded_size(Instr i, const Word* at, const Word* end);

}  // namespace wb
