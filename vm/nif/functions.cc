// All functions of erl_nif.h: whatever of them were missing would not link, and what is here the
// linker keeps.
#include "vm/nif/functions.h"

#include <erl_nif.h>

#include "vm/nif/newer_functions.h"

extern "C" char* erl_errno_id(int error);  // erl_driver.h

namespace wb {

static const NifApiFunction kFunctions[] = {
#define NIF_FUNCTION(name) {#name, reinterpret_cast<void*>(&name)},
#include "vm/nif/functions.def"
#undef NIF_FUNCTION
};

std::span<const NifApiFunction> nif_functions() { return kFunctions; }

}  // namespace wb
