// Why a file was refused: which rule, and where exactly.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wb {

enum class Rule : uint8_t {
#define RULE(id, text) id,
#include "bytecode/load_rules.def"
#undef RULE
  count
};

std::string_view rule_name(Rule rule);
std::string_view rule_text(Rule rule);

struct LoadError {
  Rule rule;
  std::string file;
  std::string chunk;    // "Code", "AtU8" ...; empty: the container itself
  uint64_t offset = 0;  // within the chunk's data (of the file, if chunk is empty)
  std::string text;     // details: which function, which operand; may be empty

  /// `lists.beam: Code chunk, offset 1234: register number out of range (x1024 in move)`
  std::string message() const;
};

}  // namespace wb
