// From decoded, validated generic instructions to a linked Module.
//
// One pass: each generic instruction becomes one loaded instruction (now and then two) in a growing
// vector of words; label references and continuations are noted as relocations and become addresses
// when the code has its final place. Operands become what instructions.def says: byte offsets for
// specialised ones, terms or register references for dynamic ones, literals as terms in the
// module's literal area.
//
// A continuation (the word after a call) must be at an address that is 8 modulo 16, so that a
// return address on a stack can be told from every term (term.h). The block is 16-aligned; so
// continuations are put at odd indices, with a word of padding before one where needed. Nothing
// ever runs the padding: the call before it names its continuation.
#pragma once

#include <memory>
#include <string>

#include "bytecode/decode.h"
#include "loader/beliefs.h"
#include "loader/code.h"

namespace wb {

class CodeTable;

/// nullptr and *why when a literal is no term, or memory is out. `believed`: null, or what is to be
/// checked before each instruction.
std::unique_ptr<Module> emit_module(CodeTable& table, const BeamFile& file, const CodeUnit& unit,
                                    std::string* why, Beliefs* believed = nullptr);

}  // namespace wb
