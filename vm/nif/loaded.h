// Which native libraries are loaded, for who asks about modules and the system.
#pragma once

#include "term/heap.h"

namespace wb {

class Vm;
struct Module;

/// [{Function, Arity}], as the library lists them.
Term loaded_nifs(Heap& h, const Module& m);
/// Nobody runs this version any more.
void library_purged(const Module& m);
/// Modules that have loaded a library, or tried to.
Term tainted_modules(Vm& vm, Heap& h);

}  // namespace wb
