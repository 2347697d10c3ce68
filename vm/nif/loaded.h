// Which native libraries are loaded, for who asks about modules and the system.
#pragma once

#include <span>
#include <string_view>

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

/// Has the current version of `module` a native function for this one?
bool has_native_function(Vm& vm, Term module, std::string_view name, size_t arity);
/// Calls it for the machine, on whose behalf nothing runs: in an environment of a callback. If it
/// is not there, `otherwise` is called. An atom that it has given, else kNone. Nothing is held.
Term call_native_function(Vm& vm, Term module, std::string_view name, std::string_view otherwise,
                          std::span<const Term> arguments);

}  // namespace wb
