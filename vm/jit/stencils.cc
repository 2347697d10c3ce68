#include "vm/jit/stencils.h"

namespace wb {

const Stencil* stencil_of(unsigned handler, bool narrow) {
#ifdef WB_BASELINE
  const Stencil* s = &kStencils[(narrow ? 0 : kHandlerCount) + handler];
  return s->size ? s : nullptr;
#else
  return nullptr;
#endif
}

bool needs_small_constants(Instr i) {
  switch (i) {
    case Instr::move:
    case Instr::put_list:
    case Instr::tuple_element:
    case Instr::get_map_element:
    case Instr::is_eq_exact:
    case Instr::is_ne_exact:
      return false;
    default:
      return true;
  }
}

}  // namespace wb
