// Atoms of modules that are loaded: a few more fit than programs may make, so that a program that has
// used up the table can still be told so by modules that are loaded for it.
#pragma once

#include <string_view>

#include "term/term.h"

namespace wb {

/// As `intern` (atom.h), but kSystemLimit only when that reserve is used up, too.
Term intern_for_code(std::string_view text);

}  // namespace wb
