#include "vm/observe/json.h"

#include <cmath>
#include <cstdio>

#include "term/utf8.h"

namespace wb {

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  char digits[40];
  snprintf(digits, sizeof digits, "%.6g", value);
  return raw(digits);
}

static void escape(std::string& out, unsigned c) {
  char digits[8];
  snprintf(digits, sizeof digits, "\\u%04x", c);
  out += digits;
}

void JsonWriter::quote(std::string_view s) {
  out_ += '"';
  while (!s.empty()) {
    auto c = static_cast<unsigned char>(s[0]);
    std::string_view rest = s;
    if (c >= 0x80 && take_utf8(rest) >= 0) {
      out_ += s.substr(0, s.size() - rest.size());
      s = rest;
      continue;
    }
    if (c == '"' || c == '\\') {
      out_ += '\\', out_ += s[0];
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c < ' ' || c >= 0x7f) {
      escape(out_, c);
    } else {
      out_ += s[0];
    }
    s.remove_prefix(1);
  }
  out_ += '"';
}

}  // namespace wb
