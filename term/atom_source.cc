// Atoms as Erlang source, as erlang:display/1 quotes them: '@' and every character beyond Latin-1
// need quotes, reserved words do not.
#include <cstdio>

#include "term/atom.h"
#include "term/print.h"
#include "term/utf8.h"

namespace wb {
namespace {

bool is_lower(unsigned c) {
  return (c >= 'a' && c <= 'z') || (c >= 0xdf && c <= 0xff && c != 0xf7);
}
bool is_upper(unsigned c) {
  return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7);
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  for (bool first = true; !text.empty(); first = false) {
    unsigned c = static_cast<unsigned>(take_utf8(text));
    bool later = is_upper(c) || (c >= '0' && c <= '9') || c == '_';
    if (!is_lower(c) && (first || !later)) return true;
  }
  return false;
}

void quoted_char(std::string& out, unsigned c) {
  static constexpr char kControls[] = "\a\b\t\n\v\f\r", kLetters[] = "abtnvfr";
  const char* control = c >= '\b' && c <= '\r' ? strchr(kControls, static_cast<int>(c)) : nullptr;
  if (c == '\'' || c == '\\') {
    out += '\\';
    out += static_cast<char>(c);
  } else if (control) {
    out += '\\';
    out += kLetters[control - kControls];
  } else if (c < ' ' || (c >= 128 && c < 160)) {
    char octal[8];
    snprintf(octal, sizeof octal, "\\%03o", c);
    out += octal;
  } else {
    append_utf8(out, c);
  }
}

}  // namespace

std::string atom_source(Term atom) {
  std::string_view text = atom_text(atom);
  if (!needs_quotes(text)) return std::string(text);
  std::string out = "'";
  while (!text.empty()) quoted_char(out, static_cast<unsigned>(take_utf8(text)));
  return out += '\'';
}

}  // namespace wb
