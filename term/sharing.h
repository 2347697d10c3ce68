// Sharing within a term: what a message copy forgets (copy.h) and erts_debug and persistent_term
// keep.
//
// Two walks: the first finds what is met more than once, and how large a copy is; the second
// copies, and looks up only what is. Nearly all terms share nothing, and are copied as messages
// are.
#pragma once

#include "term/address_set.h"
#include "term/heap.h"

namespace wb {

/// Heap words of `t`, each object counted once; literals and what is in them only with `literals`.
size_t shared_size(Term t, bool literals);
/// Heap words of `t` as if nothing was shared, literals included.
size_t unshared_size(Term t);

struct Sharing {
  size_t words = 0;   ///< of a copy
  AddressSet shared;  ///< objects that there is more than one way to
};
/// Without `literals` those are no part of the copy: they stay where they are.
Sharing sharing_of(Term t, bool literals);
/// A copy of `t` in `h` that shares within itself what `t` shares. `t` has not changed since.
Term copy_sharing(Heap& h, Term t, bool literals, const Sharing& sharing);

}  // namespace wb
