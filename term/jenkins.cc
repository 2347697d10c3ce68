#include "term/jenkins.h"

#include "term/binary.h"
#include "term/bits.h"

namespace wb::jenkins {

namespace {
struct State {
  uint32_t a, b, c;
};

/// A multiple of 12 bytes. The state is held in registers meanwhile.
State hash_blocks(State s, const uint8_t* p, size_t n) {
  auto [a, b, c] = s;
  for (const uint8_t* end = p + n; p != end; p += 12) {
    uint32_t w[3];
    memcpy(w, p, 12);
    a += w[0];
    b += w[1];
    c += w[2];
    mix(a, b, c);
  }
  return {a, b, c};
}
}  // namespace

uint32_t hash_bytes(const uint8_t* p, size_t n, uint32_t c, WorkBudget& budget) {
  State s{kGolden, kGolden, c};
  const uint32_t length = static_cast<uint32_t>(n);
  if (n >= 12) {
    size_t blocks = n / 12 * 12;
    in_chunks(blocks, budget, [&](size_t at, size_t chunk) { s = hash_blocks(s, p + at, chunk); });
    p += blocks;
    n -= blocks;
  }
  const uint64_t rest = few_bytes(p, n < 8 ? n : 8);
  s.a += static_cast<uint32_t>(rest);
  s.b += static_cast<uint32_t>(rest >> 32);
  s.c += length;  // its low byte is for that
  if (n > 8) s.c += static_cast<uint32_t>(few_bytes(p + 8, n - 8) << 8);
  mix(s.a, s.b, s.c);
  return s.c;
}

uint32_t hash_bitstring(uint32_t hash, Term t, WorkBudget& budget) {
  Bits bits = bits_in(t);
  hash += salt(kBytesSalt);
  if (bits.size == 0) return hash;
  if (WB_LIKELY(bits.aligned())) {
    hash = hash_bytes(bits.bytes, bits.size / 8, hash, budget);
  } else {
    ByteView whole(t);
    hash = hash_bytes(whole.data(), whole.size(), hash, budget);
  }
  uint32_t rest = bits.size & 7;
  if (rest == 0) return hash;
  uint8_t last = 0;
  copy_bits(&last, 8 - rest, bits.bytes, bits.offset + bits.size - rest, rest);
  return mixed(hash, rest, last, salt(kBitsSalt));
}

}  // namespace wb::jenkins
