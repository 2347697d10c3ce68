#include "bytecode/disasm.h"

#include "bytecode/operand_text.h"
#include "term/print.h"

namespace wb {
namespace {

constexpr size_t kLabelColumn = 8, kOperandColumn = 18;

void pad_to(std::string* line, size_t column) {
  line->append(line->size() < column ? column - line->size() : 1, ' ');
}

class Listing {
 public:
  Listing(const CodeUnit& unit, const DisasmOptions& options) : u_(unit), options_(options) {}

  void function(const CodeFunction& f) {
    out_ += "\nfunction " + name_and_arity(f.name, f.arity) + "\n";
    line_ = 0;
    for (uint32_t i = f.begin; i < f.end; i++) instruction(u_.instructions[i]);
    flush_labels();
  }
  std::string take_text() { return std::move(out_); }

 private:
  void instruction(const Instruction& in) {
    uint64_t first = op_info(in.op).arity ? u_.operands_of(in)[0].value : 0;
    if (in.op == Op::label) {
      flush_labels();
      label_ = "  L" + std::to_string(first) + ":";
    } else if (in.op == Op::line) {
      source_line(first);
    } else {
      std::string line = std::move(label_);
      label_.clear();
      pad_to(&line, kLabelColumn);
      out_ += line + instruction_text(u_, in, options_) + "\n";
    }
  }
  void flush_labels() {
    if (!label_.empty()) out_ += label_ + "\n";
    label_.clear();
  }
  void source_line(uint64_t index) {
    const BeamLine& at = u_.file->lines[index];
    if (index == 0 || index == line_) return;
    line_ = index;
    out_ += "  %% " + u_.file->line_files[at.file] + ":" + std::to_string(at.line) + "\n";
  }

  const CodeUnit& u_;
  const DisasmOptions& options_;
  std::string out_, label_;
  uint64_t line_ = 0;
};

std::string heading(const CodeUnit& u) {
  std::string s = "module " + atom_source(u.file->module()) + "  % md5 ";
  for (uint8_t b : u.file->md5) {
    s += "0123456789abcdef"[b >> 4];
    s += "0123456789abcdef"[b & 15];
  }
  s += "\nexports ";
  for (size_t i = 0; i < u.file->exports.size(); i++) {
    if (i) s += i % 8 ? ", " : ",\n        ";
    s += name_and_arity(u.file->exports[i].function, u.file->exports[i].arity);
  }
  return s + "\n";
}

}  // namespace

std::string instruction_text(const CodeUnit& unit, const Instruction& in,
                             const DisasmOptions& options) {
  std::string line(op_name(in.op));
  const OpInfo& info = op_info(in.op);
  auto operands = unit.operands_of(in);
  for (size_t i = 0; i < operands.size(); i++) {
    if (i == 0)
      pad_to(&line, kOperandColumn);
    else
      line += ", ";
    line += operand_text(unit, operands[i], info.operands[i], options);
  }
  if (in.op == Op::call || in.op == Op::call_last || in.op == Op::call_only)
    if (const CodeFunction* f = unit.function_of_label(static_cast<uint32_t>(operands[1].value)))
      line += "  % " + name_and_arity(f->name, f->arity);
  if (in.checked()) line += "  % checked";
  if (in.no_return()) line += "  % never goes on";
  if (in.dead()) line += "  % never reached";
  return line;
}

std::string disassemble(const CodeUnit& unit, const DisasmOptions& options) {
  Listing listing(unit, options);
  for (const CodeFunction& f : unit.functions)
    if (options.function.empty() || options.function == name_and_arity(f.name, f.arity))
      listing.function(f);
  return (options.function.empty() ? heading(unit) : "") + listing.take_text();
}

}  // namespace wb
