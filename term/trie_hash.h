// The hash that orders the keys of maps of more than 32 (hash_trie.h).
//
// Where maps:keys/1, maps:fold/3 and printing show the order, it is BEAM's: documented as
// undefined, but results are compared, ties are broken by it, floats added up in it. So this is OTP
// 25's hash, bit for bit, of all whose hash there is the same in every run: integers, floats,
// binaries, [], and lists, tuples and maps of those. Atoms count by their text (there by their
// number in the table of atoms, here it would be another one), pids, references and funs by what
// they consist of.
//
// OTP takes the hash's digits of 4 bits from the low end. Here they are the other way round, so
// that the order of keys is the order of numbers.
#pragma once

#include "term/jenkins.h"
#include "term/term.h"

namespace wb {

constexpr uint32_t kTrieSeed = 3432918353u;

uint32_t trie_hash_slow(Term key, uint32_t seed);
uint32_t internal_hash_slow(Term key);

constexpr uint32_t digits_reversed(uint32_t hash) {
  uint32_t bytes = __builtin_bswap32(hash);
  return (bytes >> 4 & 0x0f0f0f0f) | (bytes & 0x0f0f0f0f) << 4;
}

/// A small integer's word has all its tag bits set in OTP.
WB_INLINE uint32_t internal_hash_small(Term key) {
  return jenkins::mixed_word(kTrieSeed, key | 15, jenkins::kGolden);
}
/// What OTP 25 calls a term's internal hash. Consistent with =:=.
inline uint32_t internal_hash(Term key) {
  return is_small(key) ? internal_hash_small(key) : internal_hash_slow(key);
}
inline uint32_t trie_hash(Term key) { return digits_reversed(internal_hash(key)); }

/// Orders keys whose trie_hash is the same: by their next eight digits.
uint32_t next_trie_hash(Term key);

}  // namespace wb
