// Hashes of terms.
#pragma once

#include "term/term.h"

namespace wb {

/// erlang:phash2/1 before the range is taken: full 32 bits; phash2/1 is this & (2^27-1).
uint32_t phash2(Term t);
/// The portable erlang:phash/2 hash (32 bits).
uint32_t phash(Term t);
/// In-memory hash: fast, consistent with =:= , may differ between runs. ETS, maps.
uint64_t map_hash(Term t);

}  // namespace wb
