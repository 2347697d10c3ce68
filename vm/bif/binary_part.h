// Positions and lengths as binary_part/3 and the options `{scope, {Start, Length}}` take them.
#pragma once

#include "term/heap.h"

namespace wb {

/// {Position, Length} within `size` bytes; a negative length reaches backwards. False: outside.
bool part_range(Term position, Term length, size_t size, size_t* at, size_t* n);
/// That part of `bin`, or kBadarg.
Term binary_part(Heap& h, Term bin, Term position, Term length);

}  // namespace wb
