// What OTP's tools ask of allocators (recon_alloc, instrument, the observer): erlang:system_info of
// alloc_util_allocators, allocator, {allocator, A} and {allocator_sizes, A}, in BEAM's words.
//
// Here one malloc serves all, but for heaps from 4 MiB on, which are mapped on their own
// (large_blocks.h). So there is one instance of each kind, for all threads. The sizes of blocks are
// what erlang:memory/0 says of that kind; what is free in malloc's pages is in the carriers of
// std_alloc, where memory/0 has it, too. So all blocks are what is in use, and all carriers what
// the machine occupies. A kind's blocks that are not counted one by one are counted by what they
// belong to: processes, tables and their objects, modules, timers. Nobody remembers maxima or
// counts calls: the three numbers of a size are the same, and of calls only those for segments
// (large blocks) are there.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/allocator.h"
#include "base/large_blocks.h"
#include "base/live_bytes.h"
#include "loader/code_table.h"
#include "scheduler/oracle.h"
#include "term/literal_area.h"
#include "term/number.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/bif/system_info.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"

namespace wb {
namespace {

enum AllocatorKind : uint8_t {
  temp,
  sl,
  std_,
  ll,
  eheap,
  ets,
  fix,
  literal,
  binary,
  driver,
  kKinds
};
constexpr std::array<std::string_view, kKinds> kNames = {
    "temp_alloc", "sl_alloc",  "std_alloc",     "ll_alloc",     "eheap_alloc",
    "ets_alloc",  "fix_alloc", "literal_alloc", "binary_alloc", "driver_alloc"};

/// Blocks of one kind and the memory they lie in.
struct Carriers {
  int64_t blocks = 0, bytes = 0;   ///< in use
  int64_t carriers = 0, held = 0;  ///< occupied

  void set(int64_t count, int64_t used, int64_t occupied) {
    bytes = std::max<int64_t>(used, 0);
    blocks = bytes ? std::max<int64_t>(count, 1) : 0;
    held = std::max(occupied, bytes);
    carriers = held ? 1 : 0;
  }
};
struct Allocator {
  Carriers several, single;  ///< blocks to a carrier
};
using Allocators = std::array<Allocator, kKinds>;

/// What malloc has in use; zeros: it does not say.
struct MallocUse {
  int64_t blocks, bytes;
  int64_t pages;  ///< bytes of the pages they lie in
};
MallocUse malloc_use() {
  if (!mallctl) return {};
  refresh_malloc_statistics();
  const auto live = [](const char* made, const char* freed) {
    return static_cast<int64_t>(read_malloc_value<uint64_t>(made) -
                                read_malloc_value<uint64_t>(freed));
  };
  return {live("stats.arenas.4096.small.nmalloc", "stats.arenas.4096.small.ndalloc") +
              live("stats.arenas.4096.large.nmalloc", "stats.arenas.4096.large.ndalloc"),
          static_cast<int64_t>(read_malloc_value<size_t>("stats.allocated")),
          static_cast<int64_t>(read_malloc_value<size_t>("stats.active"))};
}

struct TableUse {
  int64_t tables = 0, objects = 0;
};

TableUse table_use(Vm& vm) {
  TableUse use;
  vm.ets->each(&use, [](void* to, Table& t) {
    auto& sum = *static_cast<TableUse*>(to);
    ++sum.tables, sum.objects += static_cast<int64_t>(t.size());
  });
  return use;
}

Allocators allocators(Vm& vm) {
  const MemoryUse use = memory_use(vm);
  const LargeBlockUse large = large_block_use();
  const MallocUse all = vm.oracle->simulates() ? MallocUse{} : malloc_use();
  const TableUse tables = table_use(vm);
  const auto modules = static_cast<int64_t>(vm.code->loaded_modules().size());
  const auto literals = static_cast<int64_t>(literal_bytes_used());
  const auto module_literals = static_cast<int64_t>(vm.code->literal_words() * sizeof(Term));
  const auto timers = static_cast<int64_t>(vm.timers->count());
  const int64_t long_lived = use.atoms + use.code - module_literals;
  const int64_t rest = std::max<int64_t>(use.other - long_lived - literals, 0);
  const int64_t unused = std::clamp<int64_t>(all.pages - all.bytes, 0, rest);
  const auto processes = static_cast<int64_t>(vm.processes->count());
  const int64_t binaries = live_bytes(Live::binary_count);
  const int64_t counted = processes + binaries + tables.tables + tables.objects + timers + modules;

  Allocators a;
  const int64_t large_bytes = std::clamp<int64_t>(large.bytes, 0, use.heaps);
  a[eheap].several.set(processes - large.blocks, use.heaps - large_bytes, 0);
  a[eheap].single = {large.blocks, large_bytes, large.blocks + large.kept_blocks,
                     large_bytes + large.kept_bytes};
  a[binary].several.set(binaries, use.binaries, 0);
  a[ets].several.set(tables.tables + tables.objects, use.tables, 0);
  a[fix].several.set(timers, use.timers, 0);
  a[ll].several.set(int64_t{atom_count()} + modules, long_lived, 0);
  a[literal].several.set(modules, literals, 0);
  a[std_].several.set(all.blocks - counted, rest - unused, rest);
  return a;
}

/// {Name, Value}s.
class Items {
 public:
  explicit Items(Heap& h) : heap_(h), list_(h) {}
  void add(std::string_view name, Term value) { list_.add(tuple(heap_, intern(name), value)); }
  void add(std::string_view name, int64_t n) { add(name, make_integer(heap_, n)); }
  /// Now, the most since somebody asked last, the most ever.
  void add_size(std::string_view name, int64_t n) {
    const Term size = make_integer(heap_, n);
    list_.add(tuple(heap_, intern(name), size, size, size));
  }
  void add_calls(std::string_view name, uint64_t n) {
    constexpr uint64_t kGiga = 1'000'000'000;
    list_.add(tuple(heap_, intern(name), make_small(static_cast<int64_t>(n / kGiga)),
                    make_small(static_cast<int64_t>(n % kGiga))));
  }
  Term finish() { return list_.finish(); }

 private:
  Heap& heap_;
  ListBuilder list_;
};

Term blocks(Heap& h, std::string_view kind, const Carriers& c, bool sizes_only) {
  if (!c.bytes) return kNil;
  Items sizes(h), kinds(h);
  if (!sizes_only) sizes.add_size("count", c.blocks);
  sizes.add_size("size", c.bytes);
  kinds.add(kind, sizes.finish());
  return kinds.finish();
}
Term carriers(Heap& h, std::string_view kind, const Carriers& c, bool mapped, bool sizes_only) {
  Items items(h);
  items.add("blocks", blocks(h, kind, c, sizes_only));
  if (!sizes_only) {
    items.add_size("carriers", c.carriers);
    items.add("mseg_alloc_carriers", mapped ? c.carriers : 0);
    items.add("sys_alloc_carriers", mapped ? 0 : c.carriers);
  }
  items.add_size("carriers_size", c.held);
  if (!sizes_only) {
    items.add("mseg_alloc_carriers_size", mapped ? c.held : 0);
    items.add("sys_alloc_carriers_size", mapped ? 0 : c.held);
  }
  return items.finish();
}

/// Is there such an allocator, has it instances for threads, tags for its blocks?
Term options(Heap& h) {
  Items items(h);
  items.add("e", am::true_);
  for (std::string_view no : {"t", "atags", "ramv"}) items.add(no, am::false_);
  return items.finish();
}

Term calls(Heap& h, AllocatorKind kind) {
  const LargeBlockUse large = kind == eheap ? large_block_use() : LargeBlockUse{};
  const std::string name(kNames[kind].substr(0, kNames[kind].size() - 6));
  Items items(h);
  for (const char* what : {"_alloc", "_free", "_realloc"}) items.add_calls(name + what, 0);
  items.add_calls("mseg_alloc", large.reused + large.mapped);
  items.add_calls("mseg_dealloc", large.given);
  for (const char* what : {"mseg_realloc", "sys_alloc", "sys_free", "sys_realloc"})
    items.add_calls(what, 0);
  return items.finish();
}

/// {instance, 0, Information}
Term instance(Heap& h, Term information) {
  return cons(h, tuple(h, intern("instance"), make_small(0), information), kNil);
}

Term information(const Allocators& all_kinds, Heap& h, AllocatorKind kind, bool sizes_only) {
  const Allocator& a = all_kinds[kind];
  Items items(h);
  if (!sizes_only) items.add("options", options(h));
  if (kind == fix) {
    const Term n = make_integer(h, a.several.bytes);
    items.add("fix_types", cons(h, tuple(h, am::bif_timer, n, n), kNil));
  }
  items.add("mbcs", carriers(h, kNames[kind], a.several, false, sizes_only));
  items.add("sbcs", carriers(h, kNames[kind], a.single, true, sizes_only));
  if (!sizes_only) items.add("calls", calls(h, kind));
  Term all = items.finish();
  if (!sizes_only) {
    const Term layout = list_of_text(h, "0.9"), util = list_of_text(h, "3.0");  // of these answers
    all = cons(h, tuple(h, intern("versions"), layout, util), all);
  }
  return instance(h, all);
}

Term malloc_information(Heap& h, bool sizes_only) {
  if (sizes_only) return instance(h, kNil);
  Items items(h), kind(h);
  kind.add("e", am::true_);
  kind.add("m", intern(mallctl ? "jemalloc" : "libc"));
  items.add("options", kind.finish());
  return instance(h, items.finish());
}

Term segment_status(Heap& h, const LargeBlockUse& use) {
  Items items(h);
  items.add("cached_segments", use.kept_blocks);
  items.add("cache_hits", static_cast<int64_t>(use.reused));
  items.add_size("segments", use.blocks);
  items.add("segments_watermark", use.blocks);
  items.add_size("segments_size", use.bytes);
  return items.finish();
}
Term segment_calls(Heap& h, const LargeBlockUse& use) {
  Items items(h);
  const auto there = static_cast<uint64_t>(std::max<int64_t>(use.blocks + use.kept_blocks, 0));
  items.add_calls("mseg_alloc", use.reused + use.mapped);
  items.add_calls("mseg_dealloc", use.given);
  for (const char* none : {"mseg_realloc", "mseg_create_resize"}) items.add_calls(none, 0);
  items.add_calls("mseg_create", use.mapped);
  items.add_calls("mseg_destroy", use.mapped > there ? use.mapped - there : 0);
  for (const char* none : {"mseg_recreate", "mseg_clear_cache", "mseg_check_cache"})
    items.add_calls(none, 0);
  return items.finish();
}
/// Of large blocks.
Term segment_information(Heap& h, bool sizes_only) {
  const LargeBlockUse use = large_block_use();
  Items items(h);
  if (sizes_only) {
    items.add_size("segments_size", use.bytes);
    return instance(h, items.finish());
  }
  Items kind(h);
  kind.add("name", list_of_text(h, "all memory"));
  kind.add("status", segment_status(h, use));
  kind.add("calls", segment_calls(h, use));
  items.add("version", list_of_text(h, "0.9"));
  items.add("options", kNil);
  items.add("memkind", kind.finish());
  return instance(h, items.finish());
}

/// What is mapped beside malloc.
Term mapped_information(Heap& h, bool sizes_only) {
  const LargeBlockUse use = large_block_use();
  Items items(h), sizes(h), os(h);
  if (!sizes_only) {
    sizes.add("used", use.bytes + use.kept_bytes);
    os.add("sizes", sizes.finish());
    items.add("options", kNil);
    items.add("os", os.finish());
  }
  return cons(h, tuple(h, intern("default_mmap"), items.finish()), kNil);
}

/// kBadarg: there is none of that name.
Term of_one(const Allocators& kinds, Heap& h, Term which, bool sizes_only) {
  if (!is_atom(which)) return kBadarg;
  const std::string_view name = atom_text(which);
  for (uint8_t k = 0; k < kKinds; ++k)
    if (kNames[k] == name) return information(kinds, h, static_cast<AllocatorKind>(k), sizes_only);
  if (name == "sys_alloc") return malloc_information(h, sizes_only);
  if (name == "mseg_alloc") return segment_information(h, sizes_only);
  if (name == "erts_mmap") return mapped_information(h, sizes_only);
  if (name == "alloc_util") return instance(h, kNil);
  return name == "test_alloc" ? am::false_ : kBadarg;
}

/// What OTP's tool `instrument` asks for: blocks have no tags, and carriers are not walked.
Term nothing_gathered(Term request) {
  if (!is_tuple_of(request, 5)) return kBadarg;
  const Term kind = tuple_elements(request)[0];
  if (!is_atom(kind) || std::ranges::find(kNames, atom_text(kind)) == kNames.end()) return kBadarg;
  return make_small(0);  // messages that come
}

}  // namespace

Term allocator_kinds(Heap& h) {
  ListBuilder list(h);
  for (std::string_view name : kNames) list.add(intern(name));
  return list.finish();
}

/// {undefined, [], Kinds, [{Kind, Options}]}: no malloc that OTP has a name for.
Term allocator_settings(Heap& h) {
  ListBuilder kinds(h);
  Items settings(h);
  kinds.add(intern("sys_alloc"));
  for (std::string_view name : kNames) {
    kinds.add(intern(name));
    settings.add(name, options(h));
  }
  kinds.add(intern("mseg_alloc"));
  return tuple(h, am::undefined, kNil, kinds.finish(), settings.finish());
}

Term allocator_information(Process& p, Term which, bool sizes_only) {
  Heap& h = p.heap;
  if (!is_atom(which) && !is_cons(which)) return kBadarg;
  const Allocators kinds = allocators(p.vm());  // once: it walks the tables and the modules
  if (is_atom(which)) return of_one(kinds, h, which, sizes_only);
  ListBuilder list(h);
  for (; is_cons(which); which = tail(which)) {
    const Term one = of_one(kinds, h, head(which), sizes_only);
    if (one == kBadarg) return kBadarg;
    list.add(tuple(h, head(which), one));
  }
  return is_nil(which) ? list.finish() : kBadarg;
}

BIF(erts_internal, gather_alloc_histograms, 1)
{
  return nothing_gathered(a[0]);
}
BIF(erts_internal, gather_carrier_info, 1)
{
  return nothing_gathered(a[0]);
}

}  // namespace wb
