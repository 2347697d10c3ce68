// What libraries may import (functions.def).
#pragma once

#include <span>

namespace wb {

struct NifApiFunction {
  const char* name;
  void* address;
};
std::span<const NifApiFunction> nif_functions();

}  // namespace wb
