// libFuzzer: any bytes, taken for a module. Whatever they are, parsing, decoding, validating,
// disassembling, loading and purging them must neither crash nor read out of bounds, and a lying
// size must not cost memory.
//
// The machine is made anew from time to time: it keeps the literals of purged modules and every
// export, which is right for a program and would fill the memory of a run of hours. Atoms are never
// forgotten; there is room for those of a long run.
#include <memory>

#include "bytecode/disasm.h"
#include "bytecode/validate.h"
#include "loader/code_table.h"
#include "loader/disasm_loaded.h"
#include "scheduler/scheduler.h"
#include "term/atom.h"
#include "vm/machine/machine.h"

namespace {

constexpr unsigned kLoadsOfOneMachine = 2000;
constexpr uint32_t kAtoms = 16u << 20;

wb::Vm& machine() {
  static std::unique_ptr<wb::Machine> vm;
  static unsigned loads = 0;
  if (!vm || ++loads % kLoadsOfOneMachine == 0) {
    wb::set_atom_limit(kAtoms);
    vm.reset();
    vm = std::make_unique<wb::Machine>(wb::VmOptions{});
  }
  return *vm;
}

/// Loads it as a program does, an on_load function being taken for successful.
void load(wb::Vm& vm, const std::vector<uint8_t>& bytes) {
  wb::InstanceScope scope(vm.instance);
  wb::CodeTable& code = *vm.code;
  auto prepared = code.prepare(bytes, "fuzz");
  if (!prepared) return;
  wb::Term name = (*prepared)->name;
  wb::CodeTable::Loaded loaded = code.commit(*prepared);
  if (!loaded) return;
  if (bytes.size() % 8 == 0) (void)wb::disassemble_loaded(**loaded);  // slow
  code.end_on_load(name, true);
  code.delete_module(name);
  code.purge_module(name);
  vm.scheduler->progress().reclaim();  // no worker does
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  auto file = wb::parse_beam(bytes, "fuzz");
  if (!file) return 0;
  auto unit = wb::decode(*file);
  if (!unit) return 0;
  (void)wb::disassemble(*unit);
  if (wb::validate(&*unit)) return 0;
  load(machine(), bytes);
  return 0;
}
