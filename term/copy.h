// Copying terms between heaps.
//
// Messages, spawn arguments, ETS objects and literals are all copied here, so it is two tight
// loops: flat_size() finds how many words a copy takes, and the copy is then scanned like the
// to-space of a copying collector: each pointer found in it is replaced by a copy placed at its
// end. So neither depth nor length of a term matters, and there is no stack while copying. Terms of
// a few words are quicker copied by recursion (small_size()).
//
// What is shared within a term is copied once per path to it, as BEAM does.
#pragma once

#include "term/heap.h"
#include "term/literal_area.h"

namespace wb {

/// True if the pointer lies in an area whose terms are shared and never copied (literals).
WB_INLINE bool is_literal(Term t) { return is_pointer(t) && in_literal_range(pointer_of(t)); }

/// Words a copy of `t` needs (0 for immediates and literals), sharing not kept, iterative.
size_t flat_size(Term t);
/// The same if it is at most `most`; else some number above, and no more is looked at.
size_t flat_size_up_to(Term t, size_t most);
/// A copy of `t` in `h`; literals stay shared. Refcounted binaries share their Binary (a writable
/// one stops being writable); a sub_bin copies only what it shows when that is small.
Term copy_term(Heap& h, Term t);
/// Writes the copy at *hp, which must have flat_size(t) words; off-heap owners are linked into
/// `owners`.
Term copy_term_to(Term t, Term** hp, Heap& owners);

/// Words of a copy of a few words that owns nothing and has no windows; 0: it is none such, or an
/// immediate or a literal.
size_t small_size(Term t);
/// Its copy, at `to`.
Term copy_small_to(Term t, Term* to);

/// As flat_size() and copy_term(), but nothing is shared with literals: for what must outlive their
/// module (persistent_term) or is itself going to be a literal.
size_t flat_size_deep(Term t);
size_t flat_size_deep_up_to(Term t, size_t most);
Term copy_term_deep(Heap& h, Term t);
/// The same, where it is known how many words that takes.
Term copy_term_deep(Heap& h, Term t, size_t words);

}  // namespace wb
