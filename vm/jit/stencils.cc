#include "vm/jit/stencils.h"

namespace wb {

#ifdef WB_BASELINE
#include "stencil_table.inc"

const Stencil* stencil_of(unsigned handler, bool narrow) {
  const Stencil* s = &kTable[narrow ? 0 : 1][handler];
  return s->size ? s : nullptr;
}
#else
const Stencil* stencil_of(unsigned, bool) { return nullptr; }
#endif

bool needs_small_constants(Instr i) {
  switch (i) {
    case Instr::move:
    case Instr::put_list:
    case Instr::is_eq_exact:
    case Instr::is_ne_exact:
      return false;
    default:
      return true;
  }
}

}  // namespace wb
