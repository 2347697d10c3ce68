#include "bytecode/load_error.h"

namespace wb {

std::string_view rule_name(Rule rule) {
  static constexpr std::string_view kNames[] = {
#define RULE(id, text) #id,
#include "bytecode/load_rules.def"
#undef RULE
  };
  return kNames[static_cast<size_t>(rule)];
}

std::string_view rule_text(Rule rule) {
  static constexpr std::string_view kTexts[] = {
#define RULE(id, text) text,
#include "bytecode/load_rules.def"
#undef RULE
  };
  return kTexts[static_cast<size_t>(rule)];
}

std::string LoadError::message() const {
  std::string m = file.empty() ? "(no file)" : file;
  m += ": ";
  if (!chunk.empty()) m += chunk + " chunk, ";
  m += "offset " + std::to_string(offset) + ": ";
  m += rule_text(rule);
  if (!text.empty()) m += " (" + text + ")";
  return m;
}

}  // namespace wb
