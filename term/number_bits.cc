// Integers in the bit syntax: any offset, any size, both byte orders.
//
// Both directions work in pieces of up to 64 bits, lowest limb first. A piece is loaded or stored
// as a big-endian bit field; where it lies and whether its bytes are turned round is all that byte
// order changes:
//
//   big     the lowest limb is the field's last 64 bits; what remains in front is the highest
//   little  the lowest limb is the first 8 bytes, turned round; the highest piece may end in less
//           than a byte, and those last bits are the value's highest:  <<16#ABC:12/little>> is
//           <<16#BC, 16#A:4>>
#include "term/limbs.h"

namespace wb {
namespace {

constexpr uint64_t low_mask(size_t bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

/// `bits` (1..64) bits at bit `offset`, as a big-endian number.
uint64_t load_field(const uint8_t* bytes, size_t offset, size_t bits) {
  bytes += offset / 8;
  offset %= 8;
  if (offset == 0 && bits == 64) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return __builtin_bswap64(word);
  }
  size_t end = offset + bits, whole = end / 8, rest = end % 8;
  uint64_t value = 0;  // bits before the field leave at the top or are masked off
  for (size_t i = 0; i < whole; ++i) value = value << 8 | bytes[i];
  if (rest > 0) value = value << rest | bytes[whole] >> (8 - rest);
  return value & low_mask(bits);
}

/// Puts `bits` (1..64) bits of `value` there; what lies around stays.
void store_field(uint8_t* bytes, size_t offset, size_t bits, uint64_t value) {
  bytes += offset / 8;
  offset %= 8;
  if (offset == 0 && bits == 64) {
    value = __builtin_bswap64(value);
    memcpy(bytes, &value, 8);
    return;
  }
  while (bits > 0) {
    size_t room = 8 - offset, take = bits < room ? bits : room;
    size_t shift = room - take;
    uint8_t mask = static_cast<uint8_t>(low_mask(take) << shift);
    uint8_t piece = static_cast<uint8_t>(value >> (bits - take) << shift);
    *bytes = static_cast<uint8_t>((*bytes & ~mask) | (piece & mask));
    ++bytes;
    offset = 0;
    bits -= take;
  }
}

/// The number that a field of `bits` bits holds in little-endian order.
uint64_t from_little(uint64_t field, size_t bits) {
  if (bits == 64) return __builtin_bswap64(field);
  uint64_t value = 0;
  size_t at = 0;
  for (; bits - at >= 8; at += 8) value |= (field >> (bits - at - 8) & 0xff) << at;
  return value | (field & low_mask(bits - at)) << at;
}

uint64_t to_little(uint64_t value, size_t bits) {
  if (bits == 64) return __builtin_bswap64(value);
  uint64_t field = 0;
  size_t at = 0;
  for (; bits - at >= 8; at += 8) field = field << 8 | (value >> at & 0xff);
  size_t rest = bits - at;
  return field << rest | (value >> at & low_mask(rest));
}

/// Where limb k of a field lies, and how many bits of it there are.
struct Piece {
  size_t offset, bits;
  Piece(size_t start, size_t total, size_t k, bool little) {
    size_t left = total - k * 64;
    bits = left < 64 ? left : 64;
    offset = little ? start + k * 64 : start + left - bits;
  }
};

uint64_t load_limb(const uint8_t* bytes, const Piece& piece, bool little) {
  uint64_t field = load_field(bytes, piece.offset, piece.bits);
  return little ? from_little(field, piece.bits) : field;
}

/// Limb k of a field as the two's complement of the value: the highest is filled up with the sign.
uint64_t signed_limb(const uint8_t* bytes, const Piece& piece, bool little, bool negative) {
  return load_limb(bytes, piece, little) | (negative ? ~low_mask(piece.bits) : 0);
}

/// The integer that whole bytes in big-endian order are, without a sign.
Term big_from_bytes(Heap& h, const uint8_t* bytes, size_t size) {
  const size_t n = (size + 7) / 8;
  Result r(h, n);
  const uint8_t* limb = bytes + size;
  for (size_t k = 0; k + 1 < n; ++k) r.limbs()[k] = load_field(limb -= 8, 0, 64);
  r.limbs()[n - 1] = load_field(bytes, 0, static_cast<size_t>(limb - bytes) * 8);
  return r.finish(false, n);
}

Term big_from_bits(Heap& h, const uint8_t* bytes, size_t offset, size_t bits, bool little,
                   bool is_signed) {
  size_t n = (bits + 63) / 64;
  if (!little && !is_signed && ((offset | bits) & 7) == 0 && !too_many_limbs(n)) {
    return big_from_bytes(h, bytes + offset / 8, bits / 8);
  }
  Piece top(offset, bits, n - 1, little);
  bool negative = is_signed && (load_limb(bytes, top, little) >> (top.bits - 1) & 1);
  auto limb = [&](size_t k) {
    return signed_limb(bytes, Piece(offset, bits, k, little), little, negative);
  };
  // A field may be far longer than any integer, as long as the value is not.
  const uint64_t fill = negative ? ~uint64_t{0} : 0;
  while (too_many_limbs(n) && limb(n - 1) == fill) --n;
  if (too_many_limbs(n)) return kSystemLimit;
  Result r(h, n);
  for (size_t k = 0; k < n; ++k) r.limbs()[k] = limb(k);
  if (negative && !mpn_neg(as_mp(r.limbs()), as_mp(r.limbs()), n)) {
    r.finish(false, 0);  // -2^(64 * n), whose digits were all fill
    return kSystemLimit;
  }
  return r.finish(negative, n);
}

}  // namespace

Term integer_from_bits(Heap& h, const uint8_t* bytes, size_t offset, size_t bits, bool little,
                       bool is_signed) {
  if (bits == 0) return make_small(0);
  if (bits > 64) return big_from_bits(h, bytes, offset, bits, little, is_signed);
  uint64_t value = load_limb(bytes, Piece(offset, bits, 0, little), little);
  if (!is_signed) return make_unsigned(h, value);
  size_t unused = 64 - bits;
  return make_integer(h, static_cast<int64_t>(value << unused) >> unused);
}

void integer_to_bits(Term t, uint8_t* bytes, size_t offset, size_t bits, bool little) {
  Integer x(t);
  bool carry = x.negative;
  for (size_t k = 0; k * 64 < bits; ++k) {
    uint64_t limb = k < x.size ? x.limbs[k] : 0;
    if (x.negative) {
      limb = ~limb + carry;
      carry = carry && limb == 0;
    }
    Piece piece(offset, bits, k, little);
    store_field(bytes, piece.offset, piece.bits, little ? to_little(limb, piece.bits) : limb);
  }
}

}  // namespace wb
