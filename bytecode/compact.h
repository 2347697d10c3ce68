// Compact terms: how operands, line items and long atom lengths are written.
//
//   bit     7 6 5 4 3 2 1 0
//           v v v v 0 t t t   tag t, value v (0..15)
//           v v v 0 1 t t t   11-bit value: v, then one byte
//           n n n 1 1 t t t   n < 7: n + 2 bytes, big-endian two's complement
//           1 1 1 1 1 t t t   a compact u m, then m + 9 bytes
//           0 k k k k 1 1 1   tag 7 is special: k = list, float register, ...
#pragma once

#include "bytecode/byte_reader.h"

namespace wb {

enum class CompactTag : uint8_t { u, i, a, x, y, f, h, extended };
enum class CompactExtended : uint8_t { list = 1, fr = 2, alloc = 3, literal = 4, typed = 5 };

struct Compact {
  CompactTag tag;
  bool big;        // does not fit 64 bits: see bytes
  uint64_t value;  // sign-extended for i; UINT64_MAX for a big u; for extended, a CompactExtended
  Bytes bytes;     // of a big one: big-endian two's complement
};

/// False if the data ends, or a number that must be unsigned is negative, or too big (but for u).
inline bool read_compact(ByteReader& in, Compact* out) {
  uint8_t first = in.u8();
  *out = {static_cast<CompactTag>(first & 7), false, 0, {}};
  if (WB_LIKELY(!(first & 8)) || out->tag == CompactTag::extended) {
    out->value = first >> 4;
    return in.ok() && !(first & 8);
  }
  if (!(first & 16)) {
    out->value = static_cast<uint64_t>(first >> 5) << 8 | in.u8();
    return in.ok();
  }
  size_t size = (first >> 5) + 2;
  if (size == 9) {
    Compact more;
    if ((in.peek() & 0xf8) == 0xf8) return false;  // would nest: no number is that long
    if (!read_compact(in, &more) || more.tag != CompactTag::u || more.big) return false;
    if (more.value > in.left()) return false;
    size += more.value;
  }
  Bytes digits = in.bytes(size);
  if (!in.ok()) return false;
  bool negative = digits[0] & 0x80;
  uint8_t sign = negative ? 0xff : 0;
  while (digits.size() > 8 && digits[0] == sign && (digits[1] ^ sign) < 0x80)
    digits = digits.subspan(1);
  bool is_signed = out->tag == CompactTag::i;
  if (!is_signed) {
    if (negative) return false;
    if (digits.size() == 9 && digits[0] == 0) digits = digits.subspan(1);
    if (digits.size() > 8 && out->tag != CompactTag::u) return false;
  }
  if (digits.size() > 8) {
    out->big = true;
    out->bytes = digits;
    if (!is_signed) out->value = UINT64_MAX;
    return true;
  }
  uint64_t v = is_signed && negative ? ~uint64_t{0} : 0;
  for (uint8_t d : digits) v = v << 8 | d;
  out->value = v;
  return true;
}

}  // namespace wb
