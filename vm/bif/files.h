// Files that programs have open, for those above who need the system's descriptor.
#pragma once

#include "term/term.h"

namespace wb {

/// Of a prim_file's reference; -1: it is none, or closed.
int descriptor_of_file(Term ref);

}  // namespace wb
