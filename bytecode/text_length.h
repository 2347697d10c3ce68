// Is it text, and how long is it?
#pragma once

#include "bytecode/byte_reader.h"
#include "term/utf8.h"

namespace wb {

/// Number of characters of UTF-8 `text`, or -1 if it is not valid UTF-8.
inline int64_t text_length(Bytes text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); count++) {
    uint32_t c;
    int n = utf8_decode(text.data() + i, text.size() - i, &c);
    if (n <= 0) return -1;
    i += static_cast<size_t>(n);
  }
  return count;
}

}  // namespace wb
