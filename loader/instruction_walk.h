// Over loaded code from one instruction to the next. Which instruction stands where is what
// Module::instructions says, never the words, which have layers (code_words.h). Code has no lengths
// in it: an instruction's size follows from its operand letters, the count of its list, and the
// address of its continuation.
#pragma once

#include <span>

#include "bytecode/instructions.h"
#include "loader/code.h"

namespace wb {

/// Words of the instruction `i` that stands at `at`.
size_t loaded_size(Instr i, const Word* at);

/// The handlers of the function's instructions (bytecode/instructions.h), in order.
inline std::span<const uint16_t> handlers_of(const Module& m, const Module::Function& f) {
  const uint32_t end = &f == &m.functions.back() ? static_cast<uint32_t>(m.instructions.size())
                                                 : (&f)[1].first_instruction;
  return {m.instructions.data() + f.first_instruction, end - f.first_instruction};
}

/// f(at, handler): `at` is the instruction's word offset from the function's entry.
template <class F>
void each_instruction(const Module& m, const Module::Function& function, F f) {
  const Word* entry = m.code + function.entry;
  const Word* at = entry;
  for (uint16_t handler : handlers_of(m, function)) {
    f(static_cast<uint32_t>(at - entry), unsigned{handler});
    at += loaded_size(instr_of(handler), at);
  }
}

}  // namespace wb
