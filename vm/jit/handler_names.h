// From a handler's symbol to its index, for those who read handlers out of object files.
#pragma once

#include <string>
#include <string_view>

#include "vm/jit/stencils.h"

namespace wb {

/// "_ZN2wb5h_addILNS_11OperandKindE0ELS1_5ELS1_0EE3run..." -> handler index of add<x0, c, x0>; -1
/// if it is no handler.
int handler_named(const std::string& symbol);

/// "wb_number_2" -> number, 2. False: that is no hole's symbol (holes.h).
bool hole_named(std::string_view symbol, HoleKind* kind, unsigned* operand);

}  // namespace wb
