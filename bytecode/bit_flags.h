// What bs_match (OTP 26) says of a segment of bits. Its flags are an empty list, or a literal that
// is a list of atoms; older instructions have the number.
#pragma once

#include <optional>

#include "bytecode/byte_reader.h"
#include "term/term.h"

namespace wb {

enum BitFlag : Word { kLittleBits = 2, kSignedBits = 4, kNativeBits = 16 };

/// No binary has more: a command that wants them does not match.
constexpr uint64_t kMaxMatchBits = uint64_t{1} << 40;

/// Of the external term of a literal; nothing if it is no proper list of flags.
std::optional<Word> bit_flags(Bytes external);

}  // namespace wb
