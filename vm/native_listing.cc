// `whitebeam disasm --native`: which native code belongs to which loaded instruction.
//
// The module is loaded twice: once without a compiler for its text, whose lines begin with the
// offset of the instruction's words, and once to be compiled, after which these words hold the
// addresses of native code.
#include <cstdlib>

#include "loader/code_server.h"
#include "vm/embed.h"
#include "vm/interp/interpreter.h"
#include "vm/jit/baseline.h"
#include "vm/vm.h"

namespace wb {

namespace {
std::string name_of(unsigned handler) {
  OperandKind kinds[3] = {};
  Instr i = instr_of_handler(handler, kinds);
  static const char* const kNames[] = {"x0", "x1", "x2", "x", "y", "c"};
  std::string name = info_of(i).name;
  for (unsigned k = 0; k < shape_operands(info_of(i).shape); ++k) {
    name += k ? " " : "<";
    name += kNames[static_cast<unsigned>(kinds[k])];
    if (k + 1 == shape_operands(info_of(i).shape)) name += ">";
  }
  return name;
}
/// The word offset that a line begins with; 0: it is no instruction.
size_t offset_of(const std::string& line) {
  return line.rfind("  ", 0) == 0 ? strtoul(line.c_str(), nullptr, 10) : 0;
}
}  // namespace

bool list_native_code(const std::string& path, const std::string& function, NativeListing* out,
                      std::string* error) {
  std::string text;
  if (!disassemble_loaded_file(path, function, &text)) {
    *error = text;
    return false;
  }
  VmOptions options;
  options.jit = JitMode::baseline;
  Vm vm(options);
  if (!vm.baseline) {
    *error = "there is no native code: this build has none, or the system gives no memory for it";
    return false;
  }
  CodeServer::Loaded loaded = vm.code->load(std::move(*read_file_bytes(path)), path);
  if (!loaded) {
    *error = loaded.error().message;
    return false;
  }
  Module& m = **loaded;
  vm.baseline->compile_all(m);
  for (const CodeMemory::Block& b : Baseline::blocks_of(m)) {
    out->blocks.push_back({reinterpret_cast<uint64_t>(b.run),
                           std::string(reinterpret_cast<const char*>(b.run), b.size)});
  }
  auto native = [&](Word address) {
    for (const auto& b : out->blocks) {
      if (address >= b.address && address < b.address + b.bytes.size()) return true;
    }
    return false;
  };
  for (size_t from = 0, to; (to = text.find('\n', from)) != std::string::npos; from = to + 1) {
    std::string line = text.substr(from, to - from);
    size_t offset = offset_of(line);
    Word word = offset && offset < m.code_words ? m.code[offset] : 0;
    out->lines.push_back({std::move(line), native(word) ? word : 0});
  }
  const Word* handlers = make_handler_table(false);
  for (unsigned h = 0; h < kHandlerCount; ++h) out->names.emplace(handlers[h], name_of(h));
  return true;
}

}  // namespace wb
