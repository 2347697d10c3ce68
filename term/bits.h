// Reading and writing single words of bits at any bit position.
//
// Bits are numbered from the most significant bit of the first byte, as in Erlang's bit syntax, so
// n bits read as one number are big-endian. No function touches a byte that holds none of its bits:
// the bits may end where memory ends.
#pragma once

#include "term/binary.h"

namespace wb {

WB_INLINE uint64_t load_be64(const uint8_t* p) {
  uint64_t w;
  memcpy(&w, p, 8);
  return __builtin_bswap64(w);
}

WB_INLINE uint32_t load_be32(const uint8_t* p) {
  uint32_t w;
  memcpy(&w, p, 4);
  return __builtin_bswap32(w);
}

WB_INLINE void store_be64(uint8_t* p, uint64_t w) {
  w = __builtin_bswap64(w);
  memcpy(p, &w, 8);
}

/// memcpy where a few bytes are most likely. (Of 4 to 16 both ends are copied, which may overlap.)
WB_INLINE void copy_few_bytes(uint8_t* to, const uint8_t* from, size_t n) {
  if (WB_LIKELY(n <= 16)) {
    uint64_t low, high;
    if (n >= 8) {
      memcpy(&low, from, 8);
      memcpy(&high, from + n - 8, 8);
      memcpy(to, &low, 8);
      memcpy(to + n - 8, &high, 8);
    } else if (n >= 4) {
      memcpy(&low, from, 4);
      memcpy(&high, from + n - 4, 4);
      memcpy(to, &low, 4);
      memcpy(to + n - 4, &high, 4);
    } else {
      for (size_t i = 0; i < n; ++i) to[i] = from[i];
    }
  } else {
    memcpy(to, from, n);
  }
}

/// The number in `n` (0..64) bits at bit `offset` of `bytes`.
WB_INLINE uint64_t read_bits(const uint8_t* bytes, size_t offset, unsigned n) {
  if (n == 0) return 0;
  bytes += offset >> 3;
  unsigned shift = offset & 7, total = shift + n;
  uint64_t w = 0;
  if (shift == 0) {
    if (n == 8) return bytes[0];
    if (n == 16) return uint64_t{bytes[0]} << 8 | bytes[1];
    if (n == 32) return load_be32(bytes);
    if (n == 64) return load_be64(bytes);
  }
  if (total > 64) {
    w = load_be64(bytes) << shift | bytes[8] >> (8 - shift);
    return w >> (64 - n);
  }
  unsigned count = (total + 7) >> 3;
  for (unsigned i = 0; i < count; ++i) w = w << 8 | bytes[i];
  w >>= count * 8 - total;
  return n == 64 ? w : w & ((uint64_t{1} << n) - 1);
}

/// The same for 1 to 56 bits before bit `end`, which are read at once if the end is not near.
WB_INLINE uint64_t read_few_bits(const uint8_t* bytes, size_t offset, unsigned n, size_t end) {
  bytes += offset >> 3;
  unsigned shift = offset & 7, total = shift + n;
  if (WB_LIKELY(offset - shift + 64 <= end)) return load_be64(bytes) << shift >> (64 - n);
  uint64_t w = 0;
  unsigned got = 0;
  do w = w << 8 | *bytes++;
  while ((got += 8) < total);
  return w >> (got - total) & ~(~uint64_t{0} << n);
}

/// Writes the low `n` (0..64) bits of `value` at bit `offset`; neighbouring bits stay.
WB_INLINE void write_bits(uint8_t* bytes, size_t offset, uint64_t value, unsigned n) {
  bytes += offset >> 3;
  unsigned room = 8 - (offset & 7);
  if (room == 8) {
    for (; n >= 8; n -= 8) *bytes++ = static_cast<uint8_t>(value >> (n - 8));
  }
  while (n > 0) {
    unsigned take = n < room ? n : room;
    unsigned low = room - take;
    uint8_t mask = static_cast<uint8_t>(((1u << take) - 1) << low);
    uint8_t part = static_cast<uint8_t>((value >> (n - take)) << low);
    *bytes = static_cast<uint8_t>((*bytes & ~mask) | (part & mask));
    ++bytes;
    n -= take;
    room = 8;
  }
}

/// base_bytes() inline, for what is done for every few bits.
WB_INLINE const uint8_t* base_pointer(Term base) {
  const Term* p = boxed_ptr(base);
  if (header_kind(p[0]) == Kind::heap_bin) return reinterpret_cast<const uint8_t*>(p + 2);
  return refc_bin::object(p)->data;
}

/// Where a bitstring (is_bitstring) lies in its base, in bits. A base is its own.
struct Extent {
  Term base;
  size_t start, bits;
};
WB_INLINE Extent extent_of(Term t) {
  const Term* p = boxed_ptr(t);
  switch (header_kind(p[0])) {
    case Kind::heap_bin:
      return {t, 0, p[1] * 8};
    case Kind::refc_bin:
      return {t, 0, refc_bin::size(p) * 8};
    default:
      return {sub_bin::base(p), sub_bin::offset(p), sub_bin::bits(p)};
  }
}

WB_INLINE int compare_words(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/// memcmp for at least one byte. Few are read as words, which may overlap: where they do, what is
/// read again is known to be equal.
WB_INLINE int compare_bytes(const uint8_t* a, const uint8_t* b, size_t n) {
  if (n > 32) return memcmp(a, b, n);
  if (n >= 8) {
    for (; n > 8; a += 8, b += 8, n -= 8) {
      if (int c = compare_words(load_be64(a), load_be64(b))) return c;
    }
    return compare_words(load_be64(a + n - 8), load_be64(b + n - 8));
  }
  auto few = [n](const uint8_t* p) -> uint64_t {
    if (n >= 4) return uint64_t{load_be32(p)} << 32 | load_be32(p + n - 4);
    return uint64_t{p[0]} << 16 | p[n / 2] << 8 | p[n - 1];
  };
  return compare_words(few(a), few(b));
}

/// bits_of() inline.
WB_INLINE Bits bits_in(Term t) {
  Extent e = extent_of(t);
  return {base_pointer(e.base) + (e.start >> 3), e.start & 7, e.bits};
}

/// A new sub_bin over `base`, a heap_bin or refc_bin.
Term make_window(Heap& h, Term base, size_t offset, size_t bits);
/// A window (or copy, see sub_bitstring) over `base`.
Term window_or_copy(Heap& h, Term base, size_t offset, size_t bits);
/// True if appends write into the spare room of this base.
inline bool is_writable_base(Term base) {
  Term* p = boxed_ptr(base);
  return header_kind(p[0]) == Kind::refc_bin && (refc_bin::flags(p) & refc_bin::writable);
}

}  // namespace wb
