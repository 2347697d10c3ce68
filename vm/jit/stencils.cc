#include "vm/jit/stencils.h"

namespace wb {

#ifdef WB_BASELINE
const bool kHasStencils = true;
#else
const bool kHasStencils = false;
const uint8_t kStencilCode[] = {0};
const Hole kStencilHoles[] = {{}};
const Stencil kStencils[] = {{}};
#endif

}  // namespace wb
