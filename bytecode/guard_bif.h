// BIFs that instructions name directly (guard_bifs.def).
#pragma once

#include "bytecode/value_type.h"

namespace wb {

enum class BifFails : uint8_t { may, never, otherwise };

struct GuardBif {
  std::string_view name;
  uint8_t arity;
  bool gc;
  BifFails fails;
  Kinds result;
  int8_t argument;  // of which `learnt` is known after success; -1: none
  Kinds learnt;
};

/// nullptr if `import` is not one of them.
const GuardBif* guard_bif(const BeamImport& import);

}  // namespace wb
