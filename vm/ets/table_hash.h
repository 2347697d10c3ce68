// The hash that orders the keys of sets and bags: BEAM's, as it can be seen (hash_table.h).
#pragma once

#include "term/atom.h"
#include "term/trie_hash.h"

namespace wb {

uint32_t table_hash_slow(Term key);

/// Consistent with =:=. An atom's is that of its text, everything else's its internal hash.
WB_INLINE uint32_t table_hash(Term key) {
  return WB_LIKELY(is_small(key)) ? internal_hash_small(key) : table_hash_slow(key);
}

}  // namespace wb
