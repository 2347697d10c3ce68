// `whitebeam disasm`: the generic instructions of a .beam file as text.
#include <fmt/format.h>

#include "bytecode/beam_file.h"
#include "bytecode/decode.h"
#include "bytecode/disasm.h"
#include "tools/commands.h"

namespace wb {

static int fail(const LoadError& error) {
  fmt::print(stderr, "whitebeam: {}\n", error.message());
  return kExitUsage;
}

static int print(const std::string& text) {
  bool written = fwrite(text.data(), 1, text.size(), stdout) == text.size() && fflush(stdout) == 0;
  if (!written) fmt::print(stderr, "whitebeam: cannot write the output\n");
  return written ? 0 : 1;
}
static int disasm_loaded(const DisasmCommand& command) {
  std::string text;
  bool ok = disassemble_loaded_file(command.file, command.function, &text);
  if (ok) return print(text);
  fmt::print(stderr, "whitebeam: {}\n", text);
  return kExitUsage;
}

int cmd_disasm(const DisasmCommand& command) {
  if (command.native) return disasm_native(command);
  if (command.loaded) return disasm_loaded(command);
  auto file = read_beam_file(command.file);
  if (!file) return fail(file.error());
  auto unit = decode(*file);
  if (!unit) return fail(unit.error());
  DisasmOptions options;
  options.types = command.types;
  options.function = command.function;
  std::string text = disassemble(*unit, options);
  if (text.empty() && !command.function.empty()) {
    fmt::print(stderr, "whitebeam: {} has no function {}\n", command.file, command.function);
    return kExitUsage;
  }
  return print(text);
}

}  // namespace wb
