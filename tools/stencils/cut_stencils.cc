// Cuts handlers, compiled with holes, into a table of stencils.
//     cut_stencils OUT.cc NARROW.o... -- WIDE.o...
// A handler is a function wb::h_NAME<kinds>::run in a section of its own. The relocations of its
// section are its holes. One that is not understood stops the build and names the handler.
#include <elf.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "bytecode/instructions.h"
#include "vm/jit/handler_names.h"
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

void read_object(const char* path, bool wide, Table* table) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> file((std::istreambuf_iterator<char>(in)), {});
  if (file.size() < sizeof(Elf64_Ehdr)) fail(path, "cannot be read");
  auto* header = reinterpret_cast<Elf64_Ehdr*>(file.data());
  auto* sections = reinterpret_cast<Elf64_Shdr*>(file.data() + header->e_shoff);
  const Elf64_Shdr* symtab = nullptr;
  std::map<unsigned, const Elf64_Shdr*> relocations;
  for (unsigned s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type == SHT_SYMTAB) symtab = &sections[s];
    if (sections[s].sh_type == SHT_RELA) relocations[sections[s].sh_info] = &sections[s];
  }
  if (!symtab) fail(path, "has no symbols");
  auto* symbols = reinterpret_cast<Elf64_Sym*>(file.data() + symtab->sh_offset);
  const char* names = file.data() + sections[symtab->sh_link].sh_offset;
  for (size_t k = 0; k < symtab->sh_size / sizeof(Elf64_Sym); ++k) {
    const Elf64_Sym& s = symbols[k];
    if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF) continue;
    int handler = handler_named(names + s.st_name);
    if (handler < 0) continue;
    unsigned constants = constants_of(static_cast<unsigned>(handler));
    if (constants > 1 || (wide && constants == 0)) continue;  // see stencils.h
    std::string where = names + s.st_name;
    if (s.st_value != 0) fail(where, "shares its section");
    Cut c;
    const char* code = file.data() + sections[s.st_shndx].sh_offset;
    c.code.assign(code, code + s.st_size);
    bool possible = true;
    if (auto it = relocations.find(s.st_shndx); it != relocations.end()) {
      auto* r = reinterpret_cast<Elf64_Rela*>(file.data() + it->second->sh_offset);
      for (size_t n = it->second->sh_size / sizeof *r; n > 0; --n, ++r) {
        Hole hole;
        if (hole_of(where, *r, names + symbols[ELF64_R_SYM(r->r_info)].st_name, &hole)) {
          c.holes.push_back(hole);
        } else {
          possible = false;
        }
      }
    }
    drop_last_jump(c);
    if (possible) (*table)[static_cast<unsigned>(handler)] = std::move(c);
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
