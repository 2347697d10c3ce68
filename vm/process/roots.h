// The roots of a process (roots.def).
#pragma once

#include "vm/process/extra.h"
#include "vm/process/process.h"

namespace wb {

/// f(begin, count) for each place but stack, heap and messages.
template <class F>
void each_root(Process& p, Term* x, uint32_t live, F f) {
#define ROOT(name, begin, count) f(begin, size_t{count});
#define RARE_ROOT(name, begin, count)
#include "vm/process/roots.def"
#undef ROOT
#undef RARE_ROOT
  if (!p.extra) return;
#define ROOT(name, begin, count)
#define RARE_ROOT(name, begin, count) f(begin, size_t{count});
#include "vm/process/roots.def"
#undef ROOT
#undef RARE_ROOT
}

}  // namespace wb
