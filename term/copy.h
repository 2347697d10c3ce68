// Copying terms between heaps.
#pragma once

#include "term/heap.h"

namespace wb {

/// True if the pointer lies in an area whose terms are shared and never copied (literals).
bool is_literal(Term t);

/// Words a copy of `t` needs (0 for immediates and literals), sharing not kept, iterative.
size_t flat_size(Term t);
/// A copy of `t` in `h`; literals stay shared. Refcounted binaries share their Binary (a writable
/// one stops being writable); a sub_bin copies only what it shows when that is small.
Term copy_term(Heap& h, Term t);
/// Writes the copy at *hp, which must have flat_size(t) words; off-heap owners are linked into
/// `owners`.
Term copy_term_to(Term t, Term** hp, Heap& owners);

}  // namespace wb
