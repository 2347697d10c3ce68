// The tokens of JSON, from the front of a text: for those who read requests (request.cc) and those
// who read answers (tools/observer/json_value.cc).
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "term/utf8.h"

namespace wb {

class JsonLexer {
 protected:
  explicit JsonLexer(std::string_view text) : rest_(text) {}

  void skip_space() {
    size_t n = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(n, rest_.size()));
  }
  bool take_char(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view w) {
    if (!rest_.starts_with(w)) return false;
    rest_.remove_prefix(w.size());
    return true;
  }
  /// What follows a backslash within a string.
  bool escaped(std::string* out) {
    if (rest_.empty()) return false;
    char c = rest_[0];
    rest_.remove_prefix(1);
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (size_t k = kNames.find(c); k != kNames.npos) {
      *out += kMeant[k];
      return true;
    }
    uint32_t code;
    if (c != 'u' || !hex(&code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
      uint32_t low;
      if (!word("\\u") || !hex(&low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (!is_code_point(code)) return false;
    append_utf8(*out, code);
    return true;
  }
  bool hex(uint32_t* code) {
    if (rest_.size() < 4) return false;
    auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + 4, *code, 16);
    if (ec != std::errc() || end != rest_.data() + 4) return false;
    rest_.remove_prefix(4);
    return true;
  }

  std::string_view rest_;
};

}  // namespace wb
