// UTF-8, checked: no surrogates, no overlong forms, nothing above U+10FFFF.
#pragma once

#include <string>
#include <string_view>

#include "base/base.h"

namespace wb {

constexpr bool is_unicode(int64_t c) {
  return c >= 0 && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

/// Appends code point `c` (is_unicode).
inline void put_utf8(std::string& out, uint32_t c) {
  auto byte = [&](uint32_t b) { out += static_cast<char>(b); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | c >> 6);
    byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3f));
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  }
}

/// Takes the first code point off `text`; -1 (and `text` unchanged) if malformed or empty.
inline int32_t take_utf8(std::string_view& text) {
  if (text.empty()) return -1;
  uint32_t c = static_cast<uint8_t>(text[0]);
  if (c < 0x80) {
    text.remove_prefix(1);
    return static_cast<int32_t>(c);
  }
  size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || text.size() < n) return -1;
  c &= 0x7fu >> n;
  for (size_t i = 1; i < n; ++i) {
    uint32_t b = static_cast<uint8_t>(text[i]);
    if ((b & 0xc0) != 0x80) return -1;
    c = c << 6 | (b & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kLeast[n] || !is_unicode(c)) return -1;
  text.remove_prefix(n);
  return static_cast<int32_t>(c);
}

/// Number of code points, or -1 if malformed.
inline int64_t count_utf8(std::string_view text) {
  int64_t n = 0;
  for (; !text.empty(); ++n) {
    if (take_utf8(text) < 0) return -1;
  }
  return n;
}

}  // namespace wb
