// Reading loaded code back: Module::instructions tells which instruction stands where and its
// operands' kinds, and instructions.def what each word means.
#include "loader/disasm_loaded.h"

#include "bytecode/register_reference.h"
#include "loader/instruction_walk.h"
#include "loader/same_operands.h"
#include "term/atom.h"
#include "term/print.h"

namespace wb {

namespace {

class Reader {
 public:
  explicit Reader(const Module& m) : m_(m) {}

  /// Appends the instruction at word `at`, which has this handler, as text.
  void line(unsigned handler, uint32_t at, std::string* out) {
    OperandKind kinds[3] = {};
    Instr i = instr_of_handler(handler, kinds);
    const InstrInfo& info = info_of(i);
    *out += "  " + std::to_string(at) + "\t" + info.name;
    unsigned kind = 0;
    uint64_t count = 0;
    uint32_t next = at + 1;
    for (const char* letter = info.operands; *letter; ++letter) {
      if (*letter == '*') {
        for (uint64_t k = 0; k < count; ++k) {
          *out += ' ';
          *out += item(m_.code[next++]);
        }
        continue;
      }
      Word w = m_.code[next++];
      if (*letter == 'n') count = w;
      *out += ' ';
      *out += operand(*letter, w, kinds[kind < 3 ? kind : 2]);
      if (*letter == 's' || *letter == 'r' || *letter == 'd') ++kind;
    }
    *out += '\n';
  }

 private:
  std::string label(Word w) const {
    if (!w) return "-";
    return "@" + std::to_string(reinterpret_cast<const Word*>(w) - m_.code);
  }
  std::string item(Word w) const {
    if (m_.contains(reinterpret_cast<const Word*>(w))) return label(w);
    const auto strings = reinterpret_cast<Word>(m_.strings.data());
    if (w >= strings && w < strings + m_.strings.size()) return "\"...\"";  // of bs_create_bin
    return dynamic(w);
  }
  static std::string dynamic(Word w) {
    if (is_x_ref(w)) return "x" + std::to_string(w >> 8);
    if (is_y_ref(w)) return "y" + std::to_string(w >> 8);
    if (is_header(w)) return "/" + std::to_string(header_size(w));
    // A list has numbers among its terms (bs_create_bin); the terms are literals.
    bool literal = is_pointer(w) && in_literal_range(reinterpret_cast<const void*>(w));
    bool atom = is_atom(w) && w >> 4 < atom_count();
    if (!literal && !atom && !is_small(w) && !is_nil(w)) return std::to_string(w);
    PrintOptions options;
    options.limit = 60;
    return to_text(w, options);
  }
  static std::string of_kind(OperandKind k, Word w) {
    switch (k) {
      case OperandKind::x0:
        return "x0";
      case OperandKind::x1:
        return "x1";
      case OperandKind::x2:
        return "x2";
      case OperandKind::x:
        return "x" + std::to_string(w / sizeof(Term));
      case OperandKind::y:
        return "y" + std::to_string(w / sizeof(Term));
      case OperandKind::c:
        return dynamic(w);
    }
    return {};
  }
  std::string operand(char letter, Word w, OperandKind kind) const {
    switch (letter) {
      case 's':
      case 'r':
      case 'd':
        return of_kind(kind, w);
      case 'v':
      case 'w':
      case 't':
        return dynamic(w);
      case 'f':
        return label(w);
      case 'c':
        return "-> " + label(w);
      case 'E': {
        auto* e = reinterpret_cast<const Export*>(w);
        return atom_source(e->module) + ":" + atom_source(e->function) + "/" +
               std::to_string(e->arity);
      }
      case 'L':
        return atom_source(reinterpret_cast<const FunEntry*>(w)->name);
      case 'B':
        return w ? "native" : "-";
      case 'A':
        return "\"...\"";
      case 'l':
        return std::to_string(static_cast<uint32_t>(w));
      case 'i':
        return std::to_string(static_cast<int64_t>(w));
      default:  // u, n, B above; what a literal's header says
        static_assert(has_only_kinds("srdvwfELAcn*uitlBI"));
        return is_header(w) ? "/" + std::to_string(header_size(w)) : std::to_string(w);
    }
  }

  const Module& m_;
};

}  // namespace

std::string disassemble_loaded(const Module& m, std::string_view function) {
  Reader reader(m);
  std::string out;
  for (const Module::Function& f : m.functions) {
    if (!function.empty() && atom_text(f.name) != function) continue;
    out += atom_source(m.name) + ":" + atom_source(f.name) + "/" + std::to_string(f.arity) + "\n";
    uint32_t line = 0;
    auto add = [&](uint32_t at, unsigned handler) {
      SourceLocation where = m.location(m.code + at);
      if (where.line && where.line != line) {
        out += "  % " + std::string(where.file) + ":" + std::to_string(where.line) + "\n";
        line = where.line;
      }
      reader.line(handler, at, &out);
    };
    add(f.start, info_of(Instr::func_info).first_handler);
    each_instruction(m, f, [&](uint32_t at, unsigned handler) { add(f.entry + at, handler); });
    out += "\n";
  }
  return out;
}

std::vector<InstructionText> disassemble_function(const Module& m, const Module::Function& f) {
  Reader reader(m);
  std::vector<InstructionText> all;
  each_instruction(m, f, [&](uint32_t offset, unsigned handler) {
    const uint32_t at = f.entry + offset;
    std::string text;
    reader.line(handler, at, &text);
    text.erase(0, text.find('\t') + 1);  // its offset
    text.pop_back();
    all.push_back({at, m.location(m.code + at).line, std::move(text)});
  });
  return all;
}

}  // namespace wb
