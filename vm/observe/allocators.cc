// allocators: what malloc has taken from the system, and how much of that is in use.
#include <cstdio>

#include "base/allocator.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/observe/json.h"
#include "vm/observe/observer.h"

namespace wb {
namespace {

/// `name` has a %u for `k`.
uint64_t of(const char* name, unsigned k) {
  char text[80];
  snprintf(text, sizeof text, name, k);
  return read_malloc_value<size_t>(text);
}

void write_row(JsonWriter& w, const char* kind, uint64_t size, uint64_t live, uint64_t held) {
  if (!held) return;
  w.open('{').text("kind", kind).number("size", size).number("objects", live / size);
  w.number("live", live).number("held", held).close('}');
}

/// Small sizes live in slabs, which are held as long as one of their objects is there.
void write_small(JsonWriter& w) {
  for (unsigned k = 0, n = read_malloc_value<unsigned>("arenas.nbins"); k < n; ++k) {
    uint64_t size = of("arenas.bin.%u.size", k);
    if (!size) continue;
    uint64_t live = of("stats.arenas.4096.bins.%u.curregs", k) * size;
    uint64_t slabs = of("stats.arenas.4096.bins.%u.curslabs", k);
    write_row(w, "small", size, live, slabs * of("arenas.bin.%u.slab_size", k));
  }
}
void write_large(JsonWriter& w) {
  for (unsigned k = 0, n = read_malloc_value<unsigned>("arenas.nlextents"); k < n; ++k) {
    uint64_t size = of("arenas.lextent.%u.size", k);
    uint64_t live = of("stats.arenas.4096.lextents.%u.curlextents", k) * size;
    if (size) write_row(w, "large", size, live, live);
  }
}

}  // namespace

std::string answer_allocators(RequestContext& a) {
  JsonWriter& w = a.out;
  MemoryUse use = memory_use(a.vm);
  w.number("heaps", use.heaps).number("binaries", use.binaries).number("tables", use.tables);
  if (!mallctl) {
    w.text("allocator", "another malloc").array("rows").close(']');
    return {};
  }
  refresh_malloc_statistics();
  w.text("allocator", "jemalloc");
  for (const char* name : {"allocated", "active", "metadata", "resident", "mapped", "retained"}) {
    char text[32];
    snprintf(text, sizeof text, "stats.%s", name);
    w.number(name, read_malloc_value<size_t>(text));
  }
  w.array("rows");
  write_small(w);
  write_large(w);
  w.close(']');
  return {};
}

}  // namespace wb
