// Operands as text, for the disassembler and for error messages.
#pragma once

#include <string>

#include "bytecode/decode.h"
#include "bytecode/disasm.h"

namespace wb {

/// name/arity
std::string name_and_arity(Term name, uint64_t arity);
/// `letter`: of the operand's place in opcodes.def, 'z' for the elements of a list.
std::string operand_text(const CodeUnit& unit, const Operand& o, char letter,
                         const DisasmOptions& options = {});

}  // namespace wb
