// libFuzzer: any bytes, taken for a module. Whatever they are, parsing, decoding, validating and
// disassembling them must neither crash nor read out of bounds. Seed it with real .beam files.
#include "bytecode/disasm.h"
#include "bytecode/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = wb::parse_beam(std::vector<uint8_t>(data, data + size), "fuzz");
  if (!file) return 0;
  auto unit = wb::decode(*file);
  if (!unit) return 0;
  (void)wb::disassemble(*unit);
  (void)wb::validate(&*unit);
  return 0;
}
