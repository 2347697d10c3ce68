// Finds the functions in decoded code and checks everything that refers to one.
#pragma once

#include <optional>

#include "bytecode/decode.h"

namespace wb {

/// Fills unit->functions.
std::optional<LoadError> lay_out(CodeUnit* unit);

}  // namespace wb
