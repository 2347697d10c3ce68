// libFuzzer: any bytes, taken for a module. Whatever they are, parsing, decoding, validating,
// disassembling and loading them must neither crash nor read out of bounds.
#include "bytecode/disasm.h"
#include "bytecode/validate.h"
#include "loader/code_server.h"
#include "vm/vm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static wb::Vm vm{wb::VmOptions{}};
  std::vector<uint8_t> bytes(data, data + size);
  auto file = wb::parse_beam(bytes, "fuzz");
  if (!file) return 0;
  auto unit = wb::decode(*file);
  if (!unit) return 0;
  (void)wb::disassemble(*unit);
  if (wb::validate(&*unit)) return 0;
  wb::CodeServer::Loaded loaded = vm.code->load(bytes, "fuzz");
  if (!loaded) return 0;
  wb::Term name = (*loaded)->name;
  vm.code->delete_module(name);
  vm.code->purge_module(name);
  return 0;
}
