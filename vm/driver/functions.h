// What drivers may import (functions.def).
#pragma once

#include <span>

namespace wb {

/// Their addresses. Who asks links them all.
std::span<const void* const> driver_functions();

}  // namespace wb
