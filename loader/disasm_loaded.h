// The loaded form of a module as text: what the interpreter runs. Any thread, any time: operands
// never change what is printed of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/code.h"

namespace wb {

/// Every function (or those named `function`), an instruction a line, with source lines.
std::string disassemble_loaded(const Module& m, std::string_view function = {});

/// One instruction of a function.
struct InstructionText {
  uint32_t at;  ///< word offset
  uint32_t line;
  std::string text;
};
/// Whatever layers its words have (code_words.h).
std::vector<InstructionText> disassemble_function(const Module& m, const Module::Function& f);

}  // namespace wb
