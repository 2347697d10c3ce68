// What memory is used for. erlang:memory/0,1 (in erlang.erl) adds up what each scheduler's
// allocators report in a message, and the areas outside of them. Here one report stands for all:
// the heaps of processes, large binaries and tables as counted, and all that the operating system
// says this process occupies beyond that as the rest; in a seeded run, which does not ask it, what
// is known to be there.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/large_blocks.h"
#include "base/live_bytes.h"
#include "loader/code_table.h"
#include "scheduler/oracle.h"
#include "term/literal_area.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/system_info.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"

namespace wb {
namespace {

/// Bytes that are nobody else's: resident and not shared with files.
int64_t private_bytes() {
  FILE* f = fopen("/proc/self/statm", "r");
  long size = 0, resident = 0, shared = 0;
  if (!f) return 0;
  int n = fscanf(f, "%ld %ld %ld", &size, &resident, &shared);
  fclose(f);
  if (n != 3) return 0;
  return int64_t{resident - shared} * sysconf(_SC_PAGESIZE) - int64_t(large_bytes_kept());
}

int64_t table_bytes(Vm& vm) {
  int64_t words = 0;
  vm.ets->each(&words, [](void* sum, Table& t) {
    *static_cast<int64_t*>(sum) += static_cast<int64_t>(t.memory_words());
  });
  return words * int64_t{sizeof(Term)};
}

int64_t code_bytes(Vm& vm) { return static_cast<int64_t>(vm.code->words() * sizeof(Word)); }

/// An average atom: its text, its entry, its place in the index.
int64_t atom_bytes() { return int64_t{atom_count()} * 48; }

}  // namespace

MemoryUse memory_use(Vm& vm) {
  MemoryUse u;
  const Timers::Bytes timers = vm.timers->bytes();
  u.heaps = live_bytes(Live::heaps) - static_cast<int64_t>(timers.messages);  // with control blocks
  u.binaries = live_bytes(Live::binaries);
  u.tables = table_bytes(vm);
  u.timers = static_cast<int64_t>(timers.entries + timers.messages);
  int64_t others = u.heaps + u.binaries + u.tables + u.timers;
  u.atoms = atom_bytes();
  u.code = code_bytes(vm);
  int64_t slots = int64_t{vm.processes->used()} * int64_t{sizeof(void*)};
  int64_t known = u.atoms + u.code + slots;
  u.other = vm.oracle->simulates() ? known : std::max(private_bytes() - others, known);
  return u;
}

namespace {

/// {Type, 0, [{mbcs, [{blocks, [{Type, [{size, Bytes}]}]}]}]}
Term allocator_report(Heap& h, Term type, int64_t bytes) {
  auto pair_in_list = [&](Term key, Term value) { return cons(h, tuple(h, key, value), kNil); };
  Term size = pair_in_list(am::size, make_integer(h, bytes));
  Term blocks = pair_in_list(am::blocks, pair_in_list(type, size));
  return tuple(h, type, make_small(0), pair_in_list(am::mbcs, blocks));
}

/// {fix_alloc, 0, [{fix_types, [{bif_timer, Bytes, Bytes}]}, {mbcs, ...}]}
Term timers_report(Heap& h, int64_t bytes) {
  Term n = make_integer(h, bytes);
  Term* report = tuple_elements(allocator_report(h, am::fix_alloc, bytes));
  Term types = cons(h, tuple(h, am::bif_timer, n, n), kNil);
  return tuple(h, report[0], report[1], cons(h, tuple(h, am::fix_types, types), report[2]));
}

}  // namespace

/// `wanted` is a list of allocators; [], as erlang:memory/0 asks, stands for all.
void send_memory_use(Process& p, Term ref, Term wanted) {
  MemoryUse u = memory_use(p.vm());
  Heap& h = p.heap;
  const Term reports[] = {allocator_report(h, am::eheap_alloc, u.heaps),
                          allocator_report(h, am::binary_alloc, u.binaries),
                          allocator_report(h, am::ets_alloc, u.tables),
                          allocator_report(h, am::std_alloc, u.other), timers_report(h, u.timers)};
  ListBuilder list(h);
  for (Term report : reports) {
    const Term type = tuple_elements(report)[0];
    bool asked = is_nil(wanted);
    for (Term l = wanted; is_cons(l); l = tail(l)) asked |= head(l) == type;
    if (asked) list.add(report);
  }
  p.vm().send(p.id, tuple(p.heap, ref, make_small(0), list.finish()), &p);
}

Term allocated_areas(Vm& vm, Heap& h) {
  Term atoms = make_integer(h, atom_bytes());
  ListBuilder list(h);
  list.add(tuple(h, am::atom_space, atoms, atoms));
  list.add(tuple(h, am::loaded_code, make_integer(h, code_bytes(vm))));
  return list.finish();
}
BIF(erts_internal, no_aux_work_threads, 0)
{
  return make_small(2);  // one more than answer
}

}  // namespace wb
