// What people are shown of libraries.
#include "vm/nif/loaded.h"

#include <algorithm>

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/nif/library.h"

namespace wb {

std::vector<LoadedLibrary> loaded_libraries(Vm& vm) {
  Reading reading(*vm.scheduler);
  std::vector<LoadedLibrary> all;
  const auto add = [&](const Module* m, bool old) {
    NifLibrary* l = m ? library_of(*m) : nullptr;
    if (!l) return;
    const auto dirty = std::ranges::count_if(
        l->functions(), [](const NifFunction& f) { return f.call != NifFunction::call_normal; });
    all.push_back({l->module(), l->path, l->functions().size(), static_cast<size_t>(dirty),
                   l->opened_types(), old});
  };
  vm.code->each_module([&](Module& m) { add(&m, &m != vm.code->find_module(m.name)); });
  return all;
}

std::vector<LoadedType> loaded_types(Vm& vm) {
  std::vector<LoadedType> all;
  vm.nifs->each_type([&](ErlNifResourceType& t) {
    all.push_back({t.module, t.name, static_cast<uint64_t>(t.count.load(std::memory_order_relaxed)),
                   static_cast<uint64_t>(t.bytes.load(std::memory_order_relaxed)),
                   t.open.load(std::memory_order_relaxed)});
  });
  return all;
}

std::vector<DirtyWork> dirty_work(Vm& vm) { return vm.nifs->dirty.all(); }

LibraryCounters library_counters(Vm& vm) {
  const Nifs& n = *vm.nifs;
  const auto value = [](const std::atomic<uint64_t>& c) {
    return c.load(std::memory_order_relaxed);
  };
  return {value(n.loaded), value(n.calls_dirty), value(n.destructed)};
}

}  // namespace wb
