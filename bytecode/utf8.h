// UTF-8 as file formats need it: is it valid, and how many characters is it?
#pragma once

#include "bytecode/byte_reader.h"

namespace wb {

/// Number of code points, or -1 if `text` is not valid UTF-8 (overlong forms and surrogates are
/// not).
inline int64_t utf8_length(Bytes text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); count++) {
    uint8_t lead = text[i++];
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return -1;
    int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    uint32_t c = lead & (0x3f >> more);
    for (; more; more--) {
      if (i == text.size() || (text[i] & 0xc0) != 0x80) return -1;
      c = c << 6 | (text[i++] & 0x3f);
    }
    bool overlong = (lead == 0xe0 && c < 0x800) || (lead == 0xf0 && c < 0x10000);
    if (overlong || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) return -1;
  }
  return count;
}

}  // namespace wb
