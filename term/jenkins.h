// Bob Jenkins' (public domain) 96-bit mix and his hash of bytes, as OTP's hashes of terms use them
// (phash2.cc, trie_hash.cc): one running 32-bit hash, into which pairs of 32-bit values are mixed;
// each type has its own multiple of the golden ratio as a salt.
#pragma once

#include <cstring>
#include <type_traits>

#include "base/work_budget.h"
#include "term/term.h"

namespace wb::jenkins {

constexpr uint32_t kGolden = 0x9e3779b9;
/// Of both hashes; the second half is trie_hash's alone.
enum Salt : uint32_t {
  kWordSalt = 1,
  kNilSalt = 2,
  kAtomSalt = 3,
  kStringSalt = 4,
  kPidSalt = 5,
  kPortSalt = 6,
  kRefSalt = 7,
  kTupleSalt = 9,
  kNegativeSalt = 10,
  kPositiveSalt = 11,
  kFloatSalt = 12,
  kBytesSalt = 13,
  kNameSalt = 14,
  kBitsSalt = 15,
  kMapSalt = 16,
  kPairsSalt = 19,
  kRecordSalt = 23,

  kRefRestSalt = 8,
  kHeadSalt = 17,
  kTailSalt = 18,
  kFunSalt = 20,
  kFunIndexSalt = 21,
  kStringEndSalt = 22
};
constexpr uint32_t salt(uint32_t multiple) { return multiple * kGolden; }

/// `early` is known before `late` is: subtracted first, or there is more to wait for.
WB_INLINE constexpr uint32_t less(uint32_t x, uint32_t early, uint32_t late) {
  x -= early;
  if (!std::is_constant_evaluated()) asm("" : "+r"(x));  // clang would add the two up
  return x - late;
}

/// Leaves the result in c.
constexpr void mix(uint32_t& a, uint32_t& b, uint32_t& c) {
  constexpr int kShifts[3][3] = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};
  for (const auto& s : kShifts) {
    a = less(a, b, c) ^ (c >> s[0]);
    b = less(b, c, a) ^ (a << s[1]);
    c = less(c, a, b) ^ (b >> s[2]);
  }
}

constexpr uint32_t mixed(uint32_t hash, uint32_t x, uint32_t y, uint32_t salt) {
  uint32_t a = salt + x, b = salt + y;
  mix(a, b, hash);
  return hash;
}
inline uint32_t mixed_word(uint32_t hash, uint64_t word, uint32_t salt) {
  return mixed(hash, static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32), salt);
}

/// Up to 8 bytes, the first one lowest. Reads that overlap find the same.
inline uint64_t few_bytes(const uint8_t* p, size_t n) {
  auto byte = [p](size_t i) { return uint64_t{p[i]} << 8 * i; };
  if (n < 4) return n == 0 ? 0 : byte(0) | byte(n / 2) | byte(n - 1);
  uint32_t first, last;
  memcpy(&first, p, 4);
  memcpy(&last, p + n - 4, 4);
  return first | uint64_t{last} << 8 * (n - 4);
}

/// Of bytes, 12 at a time; `c` is its initial value.
inline uint32_t hash_bytes(const uint8_t* p, size_t n, uint32_t c, WorkBudget& budget) {
  uint32_t a = kGolden, b = kGolden;
  uint32_t length = static_cast<uint32_t>(n);
  uint32_t w[3];
  if (n >= 12) {
    size_t blocks = n / 12 * 12;
    in_chunks(blocks, budget, [&](size_t at, size_t chunk) {
      for (const uint8_t *block = p + at, *end = block + chunk; block != end; block += 12) {
        memcpy(w, block, 12);
        a += w[0];
        b += w[1];
        c += w[2];
        mix(a, b, c);
      }
    });
    p += blocks;
    n -= blocks;
  }
  uint64_t rest = few_bytes(p, n < 8 ? n : 8);
  a += static_cast<uint32_t>(rest);
  b += static_cast<uint32_t>(rest >> 32);
  c += length;  // its low byte is for that
  if (n > 8) c += static_cast<uint32_t>(few_bytes(p + 8, n - 8) << 8);
  mix(a, b, c);
  return c;
}

/// `hash` with a bitstring: its whole bytes, then what bits are left.
uint32_t hash_bitstring(uint32_t hash, Term t, WorkBudget& budget);

}  // namespace wb::jenkins
