// `whitebeam disasm`: the generic instructions of a .beam file as text.
#include <fmt/format.h>
#include <unistd.h>

#include "bytecode/beam_file.h"
#include "bytecode/decode.h"
#include "bytecode/disasm.h"
#include "loader/code_path.h"
#include "tools/commands.h"
#include "tools/machine.h"

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

/// MODULE:FUNCTION/ARITY becomes the module's file and the function.
static void find_module(DisasmCommand& command) {
  size_t colon = command.file.rfind(':');
  if (colon == std::string::npos || access(command.file.c_str(), F_OK) == 0) return;
  std::string module = command.file.substr(0, colon);
  if (module.size() > 1 && module.front() == '\'' && module.back() == '\'') {
    module = module.substr(1, module.size() - 2);
  }
  CodePath path;
  path.set_usual({}, find_otp_root(""), {});
  std::string found = path.find(module);
  if (found.empty()) return;
  command.function = command.file.substr(colon + 1);
  command.file = found;
}

int cmd_disasm(const DisasmCommand& asked) {
  DisasmCommand command = asked;
  find_module(command);
  if (command.native || command.hot || command.ir) return disasm_native(command);
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
