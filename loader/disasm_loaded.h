// The loaded form of a module as text: what the interpreter runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/code.h"

namespace wb {

class CodeTable;

/// Every function (or those named `function`), an instruction a line, with source lines.
std::string disassemble_loaded(const CodeTable& table, const Module& m,
                               std::string_view function = {});

/// One instruction of a function.
struct InstructionText {
  uint32_t at;  ///< word offset
  uint32_t line;
  std::string text;
};
/// Of a function as its words tell now: up to the first that is no handler's (native code's, a
/// breakpoint's).
std::vector<InstructionText> disassemble_function(const CodeTable& table, const Module& m,
                                                  const Module::Function& f);
/// Of a function whose first words are native code's by now; `handlers`: what they had.
std::vector<InstructionText> disassemble_compiled(const CodeTable& table, const Module& m,
                                                  const Module::Function& f,
                                                  std::span<const uint16_t> handlers);

}  // namespace wb
