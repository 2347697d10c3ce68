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

template <int right, int left, int last>
WB_INLINE constexpr void mix_round(uint32_t& a, uint32_t& b, uint32_t& c) {
  a = less(a, b, c) ^ (c >> right);
  b = less(b, c, a) ^ (a << left);
  c = less(c, a, b) ^ (b >> last);
}

/// Leaves the result in c. Inlined, or a, b and c would go through memory.
WB_INLINE constexpr void mix(uint32_t& a, uint32_t& b, uint32_t& c) {
  mix_round<13, 8, 13>(a, b, c);
  mix_round<12, 16, 5>(a, b, c);
  mix_round<3, 10, 15>(a, b, c);
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
uint32_t hash_bytes(const uint8_t* p, size_t n, uint32_t c, WorkBudget& budget);

/// `hash` with a bitstring: its whole bytes, then what bits are left.
uint32_t hash_bitstring(uint32_t hash, Term t, WorkBudget& budget);

}  // namespace wb::jenkins
