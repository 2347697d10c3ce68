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
#include <vector>

#include "bytecode/decode.h"
#include "loader/beliefs.h"
#include "loader/code.h"

namespace wb {

class CodeTable;
class Relocations;

/// nullptr and *why when a literal is no term, or memory is out. `believed`: null, or what is to be
/// checked before each instruction. `relocations`: null, or takes what an image is made of.
std::unique_ptr<Module> emit_module(CodeTable& table, const BeamFile& file, const CodeUnit& unit,
                                    std::string* why, Beliefs* believed = nullptr,
                                    Relocations* relocations = nullptr);

/// Calls of all functions but those that the machine implements are counted.
void count_calls(const CodeTable& table, Module& m);
/// The files that lines of `m` name, if there are any.
void name_files(Module& m, const std::vector<std::string>& files);

}  // namespace wb
