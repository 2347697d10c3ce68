#include "term/bit_syntax.h"
#include "term/number.h"

namespace wb {

namespace {
bool char_of(Term t, uint32_t* c) {
  if (!is_small(t)) return false;
  int64_t v = small_value(t);
  if (v < 0 || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff)) return false;
  *c = static_cast<uint32_t>(v);
  return true;
}

uint64_t swap_bytes(uint64_t v, unsigned bits) { return __builtin_bswap64(v) >> (64 - bits); }

Term add_bits(size_t more, size_t* bits) {
  return __builtin_add_overflow(*bits, more, bits) ? am::system_limit : kNone;
}
}  // namespace

// --- sizes ---------------------------------------------------------------------------------------
Term segment_bits_slow(Term size, unsigned unit, size_t* bits) {
  if (is_big(size)) return big_negative(size) ? am::size : am::system_limit;
  if (!is_small(size) || small_value(size) < 0) return am::size;
  int64_t n;
  if (__builtin_mul_overflow(small_value(size), int64_t{unit}, &n)) return am::system_limit;
  return add_bits(static_cast<size_t>(n), bits);
}

Term all_bits(Term value, unsigned unit, size_t* bits) {
  if (!is_bitstring(value)) return am::type;
  size_t n = bit_size(value);
  return n % unit ? am::unit : add_bits(n, bits);
}

Term utf8_bits(Term value, size_t* bits) {
  uint32_t c;
  if (!char_of(value, &c)) return am::type;
  return add_bits(c < 0x80 ? 8 : c < 0x800 ? 16 : c < 0x10000 ? 24 : 32, bits);
}

Term utf16_bits(Term value, size_t* bits) {
  uint32_t c;
  return char_of(value, &c) ? add_bits(c < 0x10000 ? 16 : 32, bits) : am::type;
}

Term utf32_bits(Term value, size_t* bits) {
  uint32_t c;
  return char_of(value, &c) ? add_bits(32, bits) : am::type;
}

// --- segments ------------------------------------------------------------------------------------
Term BitWriter::put_integer_slow(Term value, size_t bits, bool little) {
  if (!is_integer(value)) return am::type;
  WB_DCHECK(bits <= left());
  if (is_small(value) && bits <= 64 && (!little || (bits & 7) == 0)) {
    unsigned n = static_cast<unsigned>(bits);
    uint64_t v = static_cast<uint64_t>(small_value(value));
    if (n == 8 && (position & 7) == 0)
      bytes[position >> 3] = static_cast<uint8_t>(v);
    else
      write_bits(bytes, position, little && n ? swap_bytes(v, n) : v, n);
  } else if (bits) {
    integer_to_bits(value, bytes + (position >> 3), position & 7, bits, little);
  }
  position += bits;
  return kNone;
}

Term BitWriter::put_float(Term value, size_t bits, bool little) {
  if (bits != 16 && bits != 32 && bits != 64) return am::invalid;
  if (!is_number(value)) return am::type;
  double d;
  if (!to_double(value, &d)) return am::no_float;
  unsigned n = static_cast<unsigned>(bits);
  uint64_t v = float_to_bits(d, n);
  write_bits(bytes, position, little ? swap_bytes(v, n) : v, n);
  position += n;
  return kNone;
}

Term BitWriter::put_bitstring(Term value, size_t bits) {
  if (!is_bitstring(value)) return am::type;
  Bits b = bits_of(value);
  if (b.size < bits) return am::short_;
  copy_bits(bytes, position, b.bytes, b.offset, bits);
  position += bits;
  return kNone;
}

Term BitWriter::put_all(Term value, unsigned unit) {
  if (!is_bitstring(value)) return am::type;
  size_t n = bit_size(value);
  if (n % unit) return am::unit;
  // A hostile bs_create_bin appends a binary to itself in place: it has grown since it was
  // measured.
  return n <= left() ? put_bitstring(value, n) : am::size;
}

Term BitWriter::put_utf8(Term value) {
  uint32_t c;
  if (!char_of(value, &c)) return am::type;
  uint64_t v = c;
  unsigned n = 8;
  if (c >= 0x10000) {
    v = 0xf0808080 | (c >> 18) << 24 | (c >> 12 & 0x3f) << 16 | (c >> 6 & 0x3f) << 8 | (c & 0x3f);
    n = 32;
  } else if (c >= 0x800) {
    v = 0xe08080 | (c >> 12) << 16 | (c >> 6 & 0x3f) << 8 | (c & 0x3f);
    n = 24;
  } else if (c >= 0x80) {
    v = 0xc080 | (c >> 6) << 8 | (c & 0x3f);
    n = 16;
  }
  write_bits(bytes, position, v, n);
  position += n;
  return kNone;
}

Term BitWriter::put_utf16(Term value, bool little) {
  uint32_t c;
  if (!char_of(value, &c)) return am::type;
  uint32_t units[2] = {c, 0};
  int count = 1;
  if (c >= 0x10000) {
    units[0] = 0xd800 | (c - 0x10000) >> 10;
    units[1] = 0xdc00 | (c & 0x3ff);
    count = 2;
  }
  for (int i = 0; i < count; ++i, position += 16) {
    write_bits(bytes, position, little ? swap_bytes(units[i], 16) : units[i], 16);
  }
  return kNone;
}

Term BitWriter::put_utf32(Term value, bool little) {
  uint32_t c;
  if (!char_of(value, &c)) return am::type;
  write_bits(bytes, position, little ? swap_bytes(c, 32) : c, 32);
  position += 32;
  return kNone;
}

void BitWriter::put_string(const uint8_t* literal, size_t bits) {
  copy_bits(bytes, position, literal, 0, bits);
  position += bits;
}

void BitWriter::clear() {
  size_t at = position / 8, to = (end + 7) / 8;
  if (position & 7) bytes[at++] &= static_cast<uint8_t>(0xff00 >> (position & 7));
  if (to > at) memset(bytes + at, 0, to - at);
}

Term new_bitstring(Heap& h, size_t bits, BitWriter* w) {
  size_t n = bits / 8 + ((bits & 7) != 0);
  Term base = new_bytes(h, n, &w->bytes);
  if (is_fault(base)) return base;
  w->position = 0;
  w->end = bits;
  if ((bits & 7) == 0) return base;
  w->bytes[n - 1] = 0;
  return make_window(h, base, 0, bits);
}

}  // namespace wb
