// Literals as text, straight from their external form: the disassembler shows them without a heap
// to decode them into, and shows damaged ones as far as they go.
#pragma once

#include <string>

#include "bytecode/byte_reader.h"

namespace wb {

/// At most about `limit` bytes, then "...".
std::string literal_text(Bytes external, size_t limit);

/// A big integer from its big-endian two's complement bytes.
std::string big_text(Bytes digits);

}  // namespace wb
