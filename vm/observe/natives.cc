// natives: libraries of native functions and their resources, linked-in drivers, and what dirty
// threads do for them.
#include <algorithm>

#include "scheduler/scheduler.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/driver/loaded.h"
#include "vm/nif/loaded.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"
#include "vm/observe/request.h"

namespace wb {

static std::string function_text(Term module, Term function, uint32_t arity) {
  return to_text(module) + ':' + to_text(function) + '/' + std::to_string(arity);
}

static void write_libraries(JsonWriter& w, std::vector<LoadedLibrary> all, size_t limit) {
  w.array("rows");
  for (size_t k = 0; k < all.size() && k < limit; ++k) {
    const LoadedLibrary& l = all[k];
    w.open('{').text("name", atom_text(l.module)).text("kind", "library");
    w.number("functions", l.functions).number("dirty_functions", l.dirty_functions);
    w.number("types", l.types).boolean("old", l.old).text("path", l.path).close('}');
  }
}
static void write_types(JsonWriter& w, const std::vector<LoadedType>& all, size_t limit) {
  for (size_t k = 0; k < all.size() && k < limit; ++k) {
    const LoadedType& t = all[k];
    w.open('{').text("name", to_text(t.module) + ':' + to_text(t.name)).text("kind", "resource");
    w.number("objects", t.objects).number("bytes", t.bytes).boolean("open", t.open).close('}');
  }
}
static void write_drivers(JsonWriter& w, const std::vector<SeenDriver>& all, size_t limit) {
  for (size_t k = 0; k < all.size() && k < limit; ++k) {
    const SeenDriver& d = all[k];
    w.open('{').text("name", d.name).text("kind", "driver").text("state", d.state);
    w.number("ports", d.ports).number("users", d.users).number("async", d.jobs);
    w.text("path", d.path).close('}');
  }
}
static void write_dirty_work(JsonWriter& w, Vm& vm) {
  const uint64_t now = vm.scheduler->now_ns();
  w.array("dirty");
  for (const DirtyWork& d : dirty_work(vm)) {
    w.open('{').text("thread", d.is_io ? "io" : "cpu").text("pid", to_text(d.pid));
    w.text("fn", function_text(d.module, d.function, d.arity));
    w.number("ns", now > d.since_ns ? now - d.since_ns : 0).close('}');
  }
  w.close(']');
}

/// {"limit": 200}: of each kind.
std::string answer_natives(RequestContext& a) {
  const auto limit = static_cast<size_t>(a.request.number("limit", 200, 1, 5000));
  std::vector<LoadedLibrary> libraries = loaded_libraries(a.vm);
  std::vector<LoadedType> types = loaded_types(a.vm);
  std::vector<SeenDriver> drivers = seen_drivers(a.vm);
  std::ranges::sort(libraries, {}, [](const auto& l) { return atom_text(l.module); });
  std::ranges::sort(types, std::greater<>(), &LoadedType::bytes);
  JsonWriter& w = a.out;
  w.number("total", libraries.size() + types.size() + drivers.size());
  const LibraryCounters counters = library_counters(a.vm);
  w.number("loaded", counters.loaded).number("dirty_calls", counters.dirty_calls);
  w.number("destructed", counters.destructed);
  write_dirty_work(w, a.vm);
  write_libraries(w, std::move(libraries), limit);
  write_types(w, types, limit);
  write_drivers(w, drivers, limit);
  w.close(']');
  return {};
}

}  // namespace wb
