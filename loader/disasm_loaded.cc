// Reading loaded code back: a handler's address tells the instruction and its operands' kinds, and
// instructions.def tells what each word means. The code has no lengths in it: an instruction's size
// follows from its operand letters (and the count of its list).
#include "loader/disasm_loaded.h"

#include "bytecode/register_reference.h"
#include "loader/code_table.h"
#include "loader/handler_index.h"
#include "term/atom.h"
#include "term/print.h"

namespace wb {

namespace {

class Reader {
 public:
  Reader(const CodeTable& table, const Module& m) : m_(m), index_(table.handlers()) {}

  /// Appends the instruction at word `at` as text; returns the next one's offset, 0 if it is none.
  uint32_t line(uint32_t at, std::string* out) {
    return line_of(index_.find(m_.code[at]), at, out);
  }
  /// The same if the instruction's handler is this one.
  uint32_t line_of(unsigned handler, uint32_t at, std::string* out) {
    if (handler == kNoHandler) return 0;
    OperandKind kinds[3] = {};
    Instr i = instr_of_handler(handler, kinds);
    const InstrInfo& info = info_of(i);
    *out += "  " + std::to_string(at) + "\t" + info.name;
    unsigned kind = 0;
    uint64_t count = 0;
    uint32_t next = at + 1;
    for (const char* letter = info.operands; *letter; ++letter) {
      if (*letter == '*') {
        for (uint64_t k = 0; k < count && next < m_.code_words; ++k) {
          *out += ' ';
          *out += item(m_.code[next++]);
        }
        continue;
      }
      if (next >= m_.code_words) return 0;
      Word w = m_.code[next++];
      if (*letter == 'n') count = w;
      *out += ' ';
      *out += operand(*letter, w, kinds[kind < 3 ? kind : 2]);
      if (*letter == 's' || *letter == 'r' || *letter == 'd') ++kind;
      if (*letter == 'c') next = static_cast<uint32_t>(reinterpret_cast<Word*>(w) - m_.code);
    }
    *out += '\n';
    return next;
  }

 private:
  std::string label(Word w) const {
    if (!w) return "-";
    return "@" + std::to_string(reinterpret_cast<const Word*>(w) - m_.code);
  }
  std::string item(Word w) const {
    if (m_.contains(reinterpret_cast<const Word*>(w))) return label(w);
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
      default:
        return is_header(w) ? "/" + std::to_string(header_size(w)) : std::to_string(w);
    }
  }

  const Module& m_;
  HandlerIndex index_;
};

}  // namespace

std::string disassemble_loaded(const CodeTable& table, const Module& m, std::string_view function) {
  Reader reader(table, m);
  std::string out;
  for (const Module::Function& f : m.functions) {
    if (!function.empty() && atom_text(f.name) != function) continue;
    uint32_t end = m.end_of(f);
    out += atom_source(m.name) + ":" + atom_source(f.name) + "/" + std::to_string(f.arity) + "\n";
    uint32_t line = 0;
    for (uint32_t at = f.start; at && at < end;) {
      SourceLocation where = m.location(m.code + at);
      if (where.line && where.line != line) {
        out += "  % " + std::string(where.file) + ":" + std::to_string(where.line) + "\n";
        line = where.line;
      }
      at = reader.line(at, &out);
    }
    out += "\n";
  }
  return out;
}

static void append(const Module& m, uint32_t at, std::string text,
                   std::vector<InstructionText>* all) {
  text.erase(0, text.find('\t') + 1);  // its offset
  text.pop_back();
  all->push_back({at, m.location(m.code + at).line, std::move(text)});
}

std::vector<InstructionText> disassemble_function(const CodeTable& table, const Module& m,
                                                  const Module::Function& f) {
  Reader reader(table, m);
  std::vector<InstructionText> all;
  uint32_t end = m.end_of(f);
  for (uint32_t at = f.entry, next; at < end; at = next) {
    std::string text;
    next = reader.line(at, &text);
    if (!next) break;
    append(m, at, std::move(text), &all);
  }
  return all;
}

std::vector<InstructionText> disassemble_compiled(const CodeTable& table, const Module& m,
                                                  const Module::Function& f,
                                                  std::span<const uint16_t> handlers) {
  Reader reader(table, m);
  std::vector<InstructionText> all;
  uint32_t at = f.entry;
  for (uint16_t handler : handlers) {
    std::string text;
    uint32_t next = reader.line_of(handler, at, &text);
    if (!next) break;
    append(m, at, std::move(text), &all);
    at = next;
  }
  return all;
}

}  // namespace wb
