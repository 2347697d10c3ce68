// What the operations of bs_create_bin call (lowered_building.cc says what they are; bodies in
// bit_building.cc).
#pragma once

#include "vm/process/exec.h"

namespace wb {

constexpr size_t kBinaryWords = 16;  ///< heap_bin, or refc_bin and sub_bin

enum class BinaryOpened : uint32_t {
  no,             ///< nothing was changed
  yes,            ///< C->writer, C->build_at, C->build_result are set
  within_a_byte,  ///< the same, but the first segment does not begin with a byte
};
/// Memory for the binary of a bs_create_bin: C->build_bits more than what it appends to.
BinaryOpened open_binary(Exec& c, const Word* I);
/// Write a binary of whole bytes, a code point as UTF-8; where the next byte goes.
uint8_t* put_whole_bytes(uint8_t* to, Term binary);
uint8_t* put_code_point(uint8_t* to, Term code_point);
/// bs_init with the size in a scratch register: the binary, or a fault.
Term init_binary(Exec& c, uint64_t unit);
/// Writes all of a binary of whole bytes at C->writer. False: that is not what is to be done.
bool put_binary(Exec& c, Term binary);

}  // namespace wb
