// What the operations of put_map_assoc and put_map_exact call (lowered_bifs.cc; bodies in
// map_ops.cc): the map with n keys and values put into it, all in the scratch registers. A fault:
// nothing was done, and the whole instruction knows what is wrong.
#pragma once

#include "vm/process/exec.h"

namespace wb {

Term put_map_assoc(Exec& c, uint64_t n);
Term put_map_exact(Exec& c, uint64_t n);

}  // namespace wb
