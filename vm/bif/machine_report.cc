#include "vm/bif/machine_report.h"

#include <fmt/format.h>

#include "loader/code_table.h"
#include "term/print.h"
#include "vm/core/memory_use.h"
#include "vm/core/vm.h"
#include "vm/ets/tables.h"
#include "vm/port/ports.h"
#include "vm/process/backtrace.h"
#include "vm/process/info.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {
namespace {

size_t bytes_of(const Module& m) { return m.code_words * sizeof(Word); }

std::string index_table(const char* name, size_t limit, size_t entries) {
  return fmt::format("=index_table:{}\nsize: {}\nlimit: {}\nentries: {}\n", name, entries, limit,
                     entries);
}

const char* state_of_running(const Process& p) {
  return p.state.load(std::memory_order_relaxed) == ProcessState::running ? "Running" : "Scheduled";
}

}  // namespace

std::string memory_report(Vm& vm) {
  MemoryUse u = memory_use(vm);
  int64_t system = u.binaries + u.tables + u.timers + u.other;
  return fmt::format(
      "=memory\ntotal: {}\nprocesses: {}\nprocesses_used: {}\nsystem: {}\natom: {}\n"
      "atom_used: {}\nbinary: {}\ncode: {}\nets: {}\n",
      system + u.heaps, u.heaps, u.heaps, system, u.atoms, u.atoms, u.binaries, u.code, u.tables);
}

std::string info_report(Vm& vm) {
  MemoryUse u = memory_use(vm);
  return memory_report(vm) + index_table("atom_tab", atom_limit(), atom_count()) +
         index_table("process_table", vm.processes->limit(), vm.processes->count()) +
         index_table("port_table", vm.ports->limit(), vm.ports->count()) +
         fmt::format("=allocated_areas\natom_table: {}\nloaded_code: {}\nbif_timer: {}\n", u.atoms,
                     u.code, u.timers);
}

std::string code_report(Vm& vm) {
  size_t current = 0, old = 0;
  std::string modules;
  for (Term name : vm.code->loaded_modules()) {
    const Module* m = vm.code->find_module(name);
    if (!m) continue;
    current += bytes_of(*m);
    modules += fmt::format("{} {}", atom_source(name), bytes_of(*m));
    if (const Module* before = vm.code->find_old_module(name)) {
      old += bytes_of(*before);
      modules += fmt::format(" ({} old)", bytes_of(*before));
    }
    modules += '\n';
  }
  return fmt::format("Current code: {}\nOld code: {}\n{}", current, old, modules);
}

std::string stopped_process_report(Process& p) {
  const bool runs = p.exec && p.state.load(std::memory_order_relaxed) == ProcessState::running;
  if (runs || p.waiting_for == WaitFor::work) return process_heading(p, "Running");
  return process_dump(p, stopped(p));
}

std::string process_report(Vm& vm, Process* self) {
  const Export* asked = vm.code->find_export(am::erlang, intern("system_info"), 1);
  std::string report;
  vm.processes->each([&](Process& p) {
    if (!self) {
      report += stopped_process_report(p);
    } else if (&p == self) {
      report += process_dump(p, in_bif(p, asked));
    } else if (hold_parked(p)) {
      report += process_dump(p, stopped(p));
      release_parked(p);
    } else {
      report += process_heading(p, state_of_running(p));
    }
  });
  return report;
}

}  // namespace wb
