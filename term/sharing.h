// Sharing within a term, which a message copy forgets (copy.h), and erts_debug and persistent_term
// keep.
#pragma once

#include "term/heap.h"

namespace wb {

/// Heap words of `t`, each object counted once; literals and what is in them only with `literals`.
size_t shared_size(Term t, bool literals);
/// Heap words of `t` as if nothing was shared, literals included.
size_t unshared_size(Term t);
/// A copy of `t` in `h` that shares within itself what `t` shares. Without `literals` those stay
/// where they are. `words`: what it took.
Term copy_sharing(Heap& h, Term t, bool literals, size_t* words);

}  // namespace wb
