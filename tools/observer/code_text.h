// One function's native code (the answer to `code`) as lines: the source's, each followed by the
// loaded instructions that came of it and their machine code. LLVM's code comes first, in its own
// order, then the baseline's, which it goes back to.
#pragma once

#include <string>
#include <vector>

#include "tools/observer/json_value.h"

namespace wb {

struct CodeLine {
  enum Kind : uint8_t { source, instruction, machine, heading } kind;
  std::string text;
  uint32_t line = 0;     ///< of a source line
  uint64_t samples = 0;  ///< of a source line: how many had it on their stack
};

std::vector<CodeLine> code_lines(const JsonValue& code);

/// `code`, an answer's text, with its lines (as [kind, text, line, samples]) in place of bytes and
/// instructions: for the page, which has no disassembler.
std::string with_lines(const std::string& answer);

}  // namespace wb
