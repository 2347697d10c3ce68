#include "term/bits.h"

#include <algorithm>

namespace wb {

namespace {
// dst is byte aligned, src is not: whole bytes only.
void copy_shifted(uint8_t* dst, const uint8_t* src, unsigned shift, size_t bytes) {
  for (; bytes >= 8; bytes -= 8, dst += 8, src += 8) {
    store_be64(dst, load_be64(src) << shift | src[8] >> (8 - shift));
  }
  for (; bytes > 0; --bytes, ++dst, ++src) {
    *dst = static_cast<uint8_t>(src[0] << shift | src[1] >> (8 - shift));
  }
}
}  // namespace

void copy_bits(uint8_t* dst, size_t dst_offset, const uint8_t* src, size_t src_offset,
               size_t bits) {
  dst += dst_offset >> 3;
  src += src_offset >> 3;
  dst_offset &= 7;
  src_offset &= 7;
  if (dst_offset) {
    unsigned n = static_cast<unsigned>(std::min<size_t>(8 - dst_offset, bits));
    write_bits(dst, dst_offset, read_bits(src, src_offset, n), n);
    bits -= n;
    src_offset += n;
    src += src_offset >> 3;
    src_offset &= 7;
    ++dst;
  }
  size_t bytes = bits >> 3;
  if (bytes) {
    if (src_offset)
      copy_shifted(dst, src, static_cast<unsigned>(src_offset), bytes);
    else
      memcpy(dst, src, bytes);
  }
  unsigned rest = bits & 7;
  write_bits(dst + bytes, 0, read_bits(src + bytes, src_offset, rest), rest);
}

int compare_bits(const Bits& a, const Bits& b) {
  size_t common = std::min(a.size, b.size), done = 0;
  if (a.aligned() && b.aligned() && common >= 8) {
    if (int c = compare_bytes(a.bytes, b.bytes, common >> 3)) return c;
    done = common & ~size_t{7};
  }
  while (done < common) {
    unsigned n = static_cast<unsigned>(std::min<size_t>(common - done, 64));
    uint64_t x = read_bits(a.bytes, a.offset + done, n);
    uint64_t y = read_bits(b.bytes, b.offset + done, n);
    if (x != y) return x < y ? -1 : 1;
    done += n;
  }
  return a.size < b.size ? -1 : a.size > b.size;
}

bool equal_bits(const uint8_t* a, size_t a_offset, const uint8_t* b, size_t b_offset, size_t bits) {
  Bits x{a + (a_offset >> 3), a_offset & 7, bits}, y{b + (b_offset >> 3), b_offset & 7, bits};
  return compare_bits(x, y) == 0;
}

}  // namespace wb
