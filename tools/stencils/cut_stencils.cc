// Cuts handlers, compiled with holes, into a table of stencils.
//     cut_stencils OUT.cc NARROW.o... -- WIDE.o...
// Which functions are which handlers the object files say in a section of lists
// (vm/interp/handler_list.h). Each is in a section of its own, whose relocations are its holes. One
// that is not understood stops the build and names the handler.
#include <elf.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bytecode/instructions.h"
#include "vm/interp/handler_list.h"
#include "vm/jit/hole_names.h"
#include "vm/jit/stencils.h"

namespace {

using namespace wb;

struct Cut {
  std::vector<uint8_t> code;
  std::vector<Hole> holes;
};
using Table = std::map<unsigned, Cut>;  // by handler index

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  fprintf(stderr, "cut_stencils: %s: %s\n", where.c_str(), why.c_str());
  exit(1);
}

unsigned constants_of(unsigned handler) {
  OperandKind kinds[3] = {OperandKind::x0, OperandKind::x0, OperandKind::x0};
  instr_of_handler(handler, kinds);
  unsigned n = 0;
  for (OperandKind k : kinds) n += k == OperandKind::c;
  return n;
}

/// False: the constant is used as an address, which only a literal can be: no narrow stencil.
bool hole_of(const std::string& where, const Elf64_Rela& r, const std::string& symbol, Hole* hole) {
  HoleKind kind;
  unsigned operand;
  if (!hole_named(symbol, &kind, &operand)) fail(where, "refers to " + symbol);
  auto type = static_cast<unsigned>(ELF64_R_TYPE(r.r_info));
  bool code = kind >= HoleKind::next;
  bool relative = type == R_X86_64_PC32 || type == R_X86_64_PLT32;
  bool absolute = type == R_X86_64_32 || type == R_X86_64_32S;
  if (!code && relative) return false;
  bool fits = kind == HoleKind::word || kind == HoleKind::list ? type == R_X86_64_64
              : code                                           ? relative
                                                               : absolute;
  if (!fits) fail(where, "relocation of type " + std::to_string(type) + " for " + symbol);
  *hole = {static_cast<uint16_t>(r.r_offset), kind, static_cast<uint8_t>(operand),
           static_cast<int32_t>(r.r_addend)};
  return true;
}

/// A last jump to the next instruction is dropped: it follows.
void drop_last_jump(Cut& c) {
  for (size_t k = 0; k < c.holes.size(); ++k) {
    const Hole& h = c.holes[k];
    if (h.kind != HoleKind::next || h.at + 4u != c.code.size() || c.code[h.at - 1] != 0xe9)
      continue;
    c.code.resize(c.code.size() - 5);
    c.holes.erase(c.holes.begin() + static_cast<long>(k));
    return;
  }
}

/// An object file's sections and symbols.
class Object {
 public:
  explicit Object(const char* path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    file_.assign(std::istreambuf_iterator<char>(in), {});
    if (file_.size() < sizeof(Elf64_Ehdr)) fail(path, "cannot be read");
    auto* header = at<Elf64_Ehdr>(0);
    sections_ = at<Elf64_Shdr>(header->e_shoff);
    names_ = at<char>(sections_[header->e_shstrndx].sh_offset);
    for (unsigned s = 0; s < header->e_shnum; ++s) {
      if (sections_[s].sh_type == SHT_RELA) relocations_[sections_[s].sh_info] = &sections_[s];
      if (sections_[s].sh_type != SHT_SYMTAB) continue;
      symbols_ = {at<Elf64_Sym>(sections_[s].sh_offset), sections_[s].sh_size / sizeof(Elf64_Sym)};
      symbol_names_ = at<char>(sections_[sections_[s].sh_link].sh_offset);
    }
    if (symbols_.empty()) fail(path, "has no symbols");
    for (const Elf64_Sym& s : symbols_) {
      if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF)
        functions_[s.st_shndx] = &s;
    }
  }
  template <class T>
  const T* at(size_t offset) const {
    return reinterpret_cast<const T*>(file_.data() + offset);
  }
  const char* path() const { return path_; }
  std::span<const Elf64_Sym> symbols() const { return symbols_; }
  const char* name(const Elf64_Sym& s) const { return symbol_names_ + s.st_name; }
  const Elf64_Sym& symbol(const Elf64_Rela& r) const { return symbols_[ELF64_R_SYM(r.r_info)]; }
  bool is_in(const Elf64_Sym& s, const char* section) const {
    return s.st_shndx != SHN_UNDEF && s.st_shndx < SHN_LORESERVE &&
           !strcmp(names_ + sections_[s.st_shndx].sh_name, section);
  }
  const char* data(const Elf64_Sym& s) const {
    return at<char>(sections_[s.st_shndx].sh_offset + s.st_value);
  }
  std::span<const Elf64_Rela> relocations(unsigned section) const {
    auto it = relocations_.find(section);
    if (it == relocations_.end()) return {};
    return {at<Elf64_Rela>(it->second->sh_offset), it->second->sh_size / sizeof(Elf64_Rela)};
  }
  /// The function that a pointer leads to; nullptr: none of this file.
  const Elf64_Sym* function(const Elf64_Rela& r) const {
    const Elf64_Sym& s = symbol(r);
    if (s.st_shndx == SHN_UNDEF) return nullptr;
    auto it = functions_.find(s.st_shndx);
    if (it == functions_.end()) fail(path_, "a list of handlers names no function");
    if (it->second->st_value || s.st_value + static_cast<size_t>(r.r_addend)) {
      fail(name(*it->second), "shares its section");
    }
    return it->second;
  }

 private:
  const char* path_;
  std::vector<char> file_;
  const Elf64_Shdr* sections_ = nullptr;
  const char *names_ = nullptr, *symbol_names_ = nullptr;
  std::span<const Elf64_Sym> symbols_;
  std::map<unsigned, const Elf64_Shdr*> relocations_;  // by section
  std::map<unsigned, const Elf64_Sym*> functions_;     // by section
};

/// One handler, if all its holes can be filled.
void cut(const Object& object, const Elf64_Sym& function, unsigned handler, bool wide,
         Table* table) {
  unsigned constants = constants_of(handler);
  if (constants > 1 || (wide && constants == 0)) return;  // see stencils.h
  Cut c;
  const char* code = object.data(function);
  c.code.assign(code, code + function.st_size);
  bool possible = true;
  for (const Elf64_Rela& r : object.relocations(function.st_shndx)) {
    Hole hole;
    if (hole_of(object.name(function), r, object.name(object.symbol(r)), &hole)) {
      c.holes.push_back(hole);
    } else {
      possible = false;
    }
  }
  drop_last_jump(c);
  if (possible) (*table)[handler] = std::move(c);
}

void read_object(const char* path, bool wide, Table* table) {
  Object object(path);
  using List = HandlerList<uint64_t, 1>;
  for (const Elf64_Sym& s : object.symbols()) {
    if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || !object.is_in(s, WB_HANDLER_LISTS)) continue;
    auto* list = reinterpret_cast<const List*>(object.data(s));
    if (list->instr >= kInstrCount) fail(path, "a list of handlers of no instruction");
    const InstrInfo& info = kInstrInfo[list->instr];
    if (list->count != shape_variants(info.shape)) fail(info.name, "has a list of another shape");
    size_t from = s.st_value + offsetof(List, handlers);
    for (const Elf64_Rela& r : object.relocations(s.st_shndx)) {
      if (r.r_offset < from || r.r_offset >= from + list->count * sizeof(uint64_t)) continue;
      auto variant = static_cast<unsigned>((r.r_offset - from) / sizeof(uint64_t));
      if (const Elf64_Sym* f = object.function(r))
        cut(object, *f, info.first_handler + variant, wide, table);
    }
  }
}

/// Its Stencil, as text.
std::string entry_of(const Cut& c, size_t code, size_t first_hole) {
  unsigned numbers = 0, counts = 0, labels = 0, exits = 0;
  bool otherwise = false;
  for (const Hole& h : c.holes) {
    unsigned bit = 1u << h.operand;
    if (h.kind == HoleKind::number) numbers |= bit;
    if (h.kind == HoleKind::bytes || h.kind == HoleKind::minus_bytes) counts |= bit;
    if (h.kind == HoleKind::branch || h.kind == HoleKind::preempt) labels |= bit, ++exits;
    if (h.kind == HoleKind::finish) ++exits;
    if (h.kind == HoleKind::otherwise) otherwise = true;  // all share one
  }
  std::string entry = "{";
  for (size_t n : {code, first_hole, c.code.size(), c.holes.size(), size_t{exits + otherwise},
                   size_t{numbers}, size_t{counts}, size_t{labels}}) {
    entry += std::to_string(n) + ",";
  }
  return entry + "},\n";
}

}  // namespace

int main(int count, char** args) {
  if (count < 4) return fprintf(stderr, "usage: cut_stencils OUT.cc NARROW.o... -- WIDE.o...\n"), 2;
  Table tables[2];
  bool wide = false;
  for (int k = 2; k < count; ++k) {
    if (strcmp(args[k], "--") == 0)
      wide = true;
    else
      read_object(args[k], wide, &tables[wide]);
  }
  std::ofstream out(args[1]);
  out << "// Made by tools/stencils/cut_stencils.\n#include \"vm/jit/stencils.h\"\nnamespace wb "
         "{\n";
  std::string code, holes, entries;
  size_t bytes = 0, hole_count = 0;
  for (Table& table : tables) {
    for (unsigned h = 0; h < kHandlerCount; ++h) {
      auto it = table.find(h);
      if (it == table.end()) {
        entries += "{},";
        continue;
      }
      const Cut& c = it->second;
      entries += entry_of(c, bytes, hole_count);
      for (uint8_t b : c.code) code += std::to_string(b) + ",";
      code += "\n";
      for (const Hole& x : c.holes) {
        holes += "{" + std::to_string(x.at) + ",HoleKind(" +
                 std::to_string(static_cast<unsigned>(x.kind)) + ")," + std::to_string(x.operand) +
                 "," + std::to_string(x.addend) + "},";
      }
      holes += "\n";
      bytes += c.code.size();
      hole_count += c.holes.size();
    }
  }
  std::string padding;
  for (unsigned k = 0; k < kCopyStep; ++k) padding += "0,";
  out << "const uint8_t kStencilCode[] = {" << code << padding << "};\n"
      << "const Hole kStencilHoles[] = {" << holes << "{0,HoleKind(0),0,0}};\n"
      << "const Stencil kStencils[] = {" << entries << "};\n}\n";
  return out.flush() ? 0 : 1;
}
