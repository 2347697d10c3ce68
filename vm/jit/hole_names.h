// What the symbols mean that stand for holes (vm/interp/holes.h), for those who read handlers out
// of object files and bitcode.
#pragma once

#include <string_view>

#include "vm/jit/stencils.h"

namespace wb {

/// "wb_number_2" -> number, 2. False: that is no hole's symbol.
bool hole_named(std::string_view symbol, HoleKind* kind, unsigned* operand);

}  // namespace wb
