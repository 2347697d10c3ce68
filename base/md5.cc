#include "base/md5.h"

#include <bit>

namespace wb {
namespace {

// kSine[i] = floor(2^32 * |sin(i + 1)|), kRotations the rotation of each step: both from RFC 1321.
constexpr uint32_t kSine[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr int kRotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// `b` has just been computed: as little as can be waits for it.
uint32_t mix(int round, uint32_t b, uint32_t c, uint32_t d) {
  switch (round) {
    case 0:
      return d ^ (b & (c ^ d));
    case 1:
      return (d & b) + (~d & c);  // no bit is set in both
    case 2:
      return b ^ (c ^ d);
    default:
      return c ^ (b | ~d);
  }
}

int word_of(int round, int i) {
  switch (round) {
    case 0:
      return i;
    case 1:
      return (5 * i + 1) & 15;
    case 2:
      return (3 * i + 5) & 15;
    default:
      return (7 * i) & 15;
  }
}

}  // namespace

void Md5::block(const uint8_t* p) {
  static_assert(std::endian::native == std::endian::little);
  uint32_t m[16];
  memcpy(m, p, sizeof m);
  uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3];
#pragma clang loop unroll(full)
  for (int i = 0; i < 64; i++) {
    int round = i / 16;
    uint32_t f = a + mix(round, b, c, d) + m[word_of(round, i)] + kSine[i];
    a = d;
    d = c;
    c = b;
    b += std::rotl(f, kRotations[round][i & 3]);
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

void Md5::update(std::span<const uint8_t> data) {
  const uint8_t* p = data.data();
  size_t n = data.size();
  size_t used = bytes_ & 63;
  bytes_ += n;
  if (used) {
    size_t take = n < 64 - used ? n : 64 - used;
    if (take) memcpy(pending_ + used, p, take);
    if (used + take < 64) return;
    block(pending_);
    p += take;
    n -= take;
  }
  for (; n >= 64; p += 64, n -= 64) block(p);
  if (n) memcpy(pending_, p, n);
}

Md5Digest Md5::digest() const {
  constexpr size_t kLengthAt = 56;
  Md5 last = *this;
  size_t used = bytes_ & 63;
  last.pending_[used++] = 0x80;
  if (used > kLengthAt) {
    memset(last.pending_ + used, 0, 64 - used);
    last.block(last.pending_);
    used = 0;
  }
  memset(last.pending_ + used, 0, kLengthAt - used);
  const uint64_t bits = bytes_ * 8;
  memcpy(last.pending_ + kLengthAt, &bits, 8);
  last.block(last.pending_);
  Md5Digest out;
  memcpy(out.data(), last.state_, 16);
  return out;
}

Md5Digest md5(std::span<const uint8_t> data) {
  Md5 m;
  m.update(data);
  return m.digest();
}

}  // namespace wb
