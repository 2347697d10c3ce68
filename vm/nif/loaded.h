// Which native libraries are loaded, for who asks about modules and the system.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "term/heap.h"

namespace wb {

class Process;
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
/// Calls it for the machine, in an environment of a callback, where enif_self names `self` or
/// nobody. If it is not there, `otherwise` is called. An atom that it has given, else kNone.
/// Nothing is held.
Term call_native_function(Vm& vm, Term module, std::string_view name, std::string_view otherwise,
                          std::span<const Term> arguments, Process* self = nullptr);

// --- for people ----------------------------------------------------------------------------------
struct LoadedLibrary {
  Term module;
  std::string path;
  size_t functions, dirty_functions, types;
  bool old;  ///< of a version that has been replaced
};
std::vector<LoadedLibrary> loaded_libraries(Vm& vm);
/// A type of resources.
struct LoadedType {
  Term module, name;
  uint64_t objects, bytes;
  bool open;  ///< its library is loaded
};
std::vector<LoadedType> loaded_types(Vm& vm);
/// A function that a dirty thread runs.
struct DirtyWork {
  Term pid, module, function;
  uint32_t arity;
  bool is_io;
  uint64_t since_ns;
};
std::vector<DirtyWork> dirty_work(Vm& vm);
struct LibraryCounters {
  uint64_t loaded, dirty_calls, destructed;
};
LibraryCounters library_counters(Vm& vm);

}  // namespace wb
