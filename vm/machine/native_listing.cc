// `whitebeam disasm --native`: which native code belongs to which loaded instruction.
//
// Of LLVM's code the table of lines tells, in the order of the code.
//
// The module is loaded twice: once without a compiler for its text, whose lines begin with the
// offset of the instruction's words, and once to be compiled, after which the patch stacks of its
// functions tell the addresses of native code (loader/code_words.h).
#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "loader/code_table.h"
#include "loader/code_words.h"
#include "loader/disasm_loaded.h"
#include "loader/instruction_walk.h"
#include "term/atom.h"
#include "term/print.h"
#include "vm/interp/interpreter.h"
#include "vm/jit/baseline.h"
#include "vm/machine/embed.h"
#include "vm/machine/machine.h"
#include "vm/orc/orc.h"

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
/// Is it one of those that NAME or NAME/ARITY means?
bool is_meant(const Module::Function& f, const std::string& wanted) {
  size_t slash = wanted.rfind('/');
  bool all = slash == std::string::npos || slash == 0;
  if (wanted.empty()) return true;
  if (atom_text(f.name) != wanted.substr(0, all ? wanted.size() : slash)) return false;
  return all || std::to_string(f.arity) == wanted.substr(slash + 1);
}

/// One function as LLVM compiles it.
bool list_hot(Vm& vm, Module& m, const Module::Function& f, bool with_ir, NativeListing* out) {
  Word* entry = m.code + f.entry;
  std::string ir;
  vm.orc->compile_now(m, entry, nullptr, with_ir ? &ir : nullptr);
  Orc::Hot hot;
  if (!vm.orc->find(m, entry, &hot)) return false;
  out->ir += ir;
  auto address = reinterpret_cast<uint64_t>(hot.code);
  out->blocks.push_back({address, std::string(reinterpret_cast<const char*>(hot.code), hot.bytes)});
  std::map<uint32_t, InstructionText> texts;
  for (InstructionText& i : disassemble_function(m, f)) {
    texts.emplace(i.at - f.entry, std::move(i));
  }
  out->lines.push_back(
      {atom_source(m.name) + ":" + atom_source(f.name) + "/" + std::to_string(f.arity), 0});
  uint32_t line = 0;
  for (const OrcCompiler::Line& l : hot.lines) {
    bool enters = std::any_of(hot.entries.begin(), hot.entries.end(),
                              [&](const auto& e) { return e.code == address + l.code; });
    if (enters) out->lines.push_back({"  % entered from outside", 0}), line = 0;
    auto i = texts.find(l.at);
    if (i != texts.end() && i->second.line != line) {
      SourceLocation where = m.location(entry + l.at);
      out->lines.push_back(
          {"  % " + std::string(where.file) + ":" + std::to_string(where.line), 0});
      line = i->second.line;
    }
    std::string text = "  (of several instructions)";
    if (i != texts.end()) text = "  " + std::to_string(i->second.at) + "\t" + i->second.text;
    out->lines.push_back({std::move(text), address + l.code});
  }
  return true;
}
/// The word offset that a line begins with; 0: it is no instruction.
size_t offset_of(const std::string& line) {
  return line.rfind("  ", 0) == 0 ? strtoul(line.c_str(), nullptr, 10) : 0;
}
}  // namespace

bool list_native_code(const NativeListingQuery& asked, NativeListing* out, std::string* error) {
  std::string text;
  if (!disassemble_loaded_file(asked.path, asked.function, &text)) {
    *error = text;
    return false;
  }
  VmOptions options;
  options.jit = asked.hot ? JitMode::full : JitMode::baseline;
  Machine vm(options);
  InstanceScope scope(vm.instance);
  if (!vm.baseline) {
    *error = "there is no native code: this build has none, or the system gives no memory for it";
    return false;
  }
  CodeTable::Loaded loaded = vm.code->load(std::move(*read_file_bytes(asked.path)), asked.path);
  if (!loaded) {
    *error = loaded.error().message;
    return false;
  }
  Module& m = **loaded;
  vm.baseline->compile_all(m);
  const Word* handlers = make_handler_table(false);
  for (unsigned h = 0; h < kHandlerCount; ++h) out->names.emplace(handlers[h], name_of(h));
  if (asked.hot) {
    for (const Module::Function& f : m.functions) {
      if (is_meant(f, asked.function)) list_hot(vm, m, f, asked.ir, out);
    }
    if (out->blocks.empty()) *error = "LLVM has compiled nothing of it (is there a plugin?)";
    return !out->blocks.empty();
  }
  for (const CodeMemory::Block& b : Baseline::blocks_of(m)) {
    out->blocks.push_back({reinterpret_cast<uint64_t>(b.run),
                           std::string(reinterpret_cast<const char*>(b.run), b.size)});
  }
  std::unordered_map<size_t, Word> native;  // by word offset
  {
    const CodeWords::Edit edit(vm.code->code_words());
    for (const Module::Function& f : m.functions) {
      const std::vector<Word> words = edit.words(m, m.code + f.entry, Layer::baseline);
      if (words.empty()) continue;
      size_t k = 0;
      each_instruction(m, f, [&](uint32_t at, unsigned) { native[f.entry + at] = words[k++]; });
    }
  }
  for (size_t from = 0, to; (to = text.find('\n', from)) != std::string::npos; from = to + 1) {
    std::string line = text.substr(from, to - from);
    auto code = native.find(offset_of(line));
    out->lines.push_back({std::move(line), code == native.end() ? 0 : code->second});
  }
  return true;
}

}  // namespace wb
