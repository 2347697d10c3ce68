// Beliefs and what is found instead, as text for a report.
#pragma once

#include <string>

#include "bytecode/value_type.h"
#include "term/term.h"

namespace wb {

/// "a tuple of 2, or an atom".
std::string belief_text(const ValueType& t);
/// What the word looks like; nothing it points to is followed beyond its header.
std::string word_text(Term t, bool points_somewhere);

}  // namespace wb
