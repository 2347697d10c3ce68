// Is a term what the validator knows of it?
#pragma once

#include "bytecode/value_type.h"

namespace wb {

/// The kind of a term, a match context or a catch tag; none: it is none of these. Of a pointer the
/// header is read.
Kinds kinds_of(Term t);
/// Kind, size, arity and value. What a type says of where a value came from is not asked.
bool belongs(Term t, const ValueType& type);

}  // namespace wb
