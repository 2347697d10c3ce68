// Files that programs have open, for those above who need the system's descriptor.
#pragma once

#include <optional>

#include "term/term.h"

namespace wb {

/// Of a prim_file's reference; -1: it is closed; nothing: it is none.
std::optional<int> descriptor_of_file(Term ref);

}  // namespace wb
