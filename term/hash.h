// Hashes of terms. All are iterative.
#pragma once

#include "base/work_budget.h"
#include "term/term.h"

namespace wb {

/// erlang:phash2/1 before the range is taken: full 32 bits; phash2/1 is this & (2^27-1). A step a
/// term and for 16 bytes of a binary; any number when `budget` stops it.
uint32_t phash2(Term t, WorkBudget& budget);
inline uint32_t phash2(Term t) {
  UnlimitedBudget budget;
  return phash2(t, budget);
}
/// The portable erlang:phash/2 hash (32 bits). Steps as phash2.
uint32_t phash(Term t, WorkBudget& budget);
inline uint32_t phash(Term t) {
  UnlimitedBudget budget;
  return phash(t, budget);
}

/// In-memory hash: fast, consistent with =:=, 64 good bits. The same in every run of the same
/// program (atoms are hashed by text), so that runs repeat. Tables of ETS, process dictionaries;
/// maps have another one (trie_hash.h).
uint64_t map_hash_slow(Term t);

/// The second constant is what small integers are multiplied by. It was chosen among 400,000: keys
/// that follow each other (integers, floats, binaries) make tries no larger than chance would,
/// other progressions (22 strides) hardly larger, and their low bits, which tables and dictionaries
/// take, hardly ever collide.
constexpr uint64_t hash_step(uint64_t hash, uint64_t word) {
  __uint128_t m =
      static_cast<__uint128_t>(word ^ 0xa0761d6478bd642fULL) * (hash ^ 0xede1fd1fe0f96167ULL);
  return static_cast<uint64_t>(m) ^ static_cast<uint64_t>(m >> 64);
}

inline uint64_t map_hash(Term t) { return is_small(t) ? hash_step(0, t) : map_hash_slow(t); }

}  // namespace wb
