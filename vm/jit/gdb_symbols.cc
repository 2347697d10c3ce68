#include "vm/jit/gdb_symbols.h"

#include <elf.h>

#include <cstring>
#include <iterator>
#include <mutex>

// As gdb's manual has it ("JIT Compilation Interface").
extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char* file;
  uint64_t size;
};
struct jit_descriptor {
  uint32_t version, action;
  jit_code_entry *relevant, *first;
};
// Weak: LLVM's libraries have them, too.
__attribute__((weak)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
__attribute__((weak, noinline)) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
}

namespace wb {

namespace {
enum Action : uint32_t { registered = 1, unregistered = 2 };
enum Section : uint16_t { none, text, symbols, strings, kSections };
/// One for all: sections and symbols are named from the same table, which begins with these.
constexpr char kNames[] = "\0.text\0.symtab\0.strtab";
constexpr uint32_t kTextName = 1, kSymbolsName = 7, kStringsName = 15;
std::mutex list_lock;

void notify_debugger(Action action, jit_code_entry* entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_register_code();
}
}  // namespace

/// An object file without code: one section that lies elsewhere, and a function that is all of it.
struct GdbSymbols::File {
  struct Image {
    Elf64_Ehdr header;
    Elf64_Shdr sections[kSections];
    Elf64_Sym symbols[2];
  };
  std::string bytes;
  jit_code_entry entry{};

  File(const uint8_t* code, size_t size, const std::string& name) {
    std::string names(kNames, sizeof kNames);
    Image i{};
    i.symbols[1].st_name = static_cast<uint32_t>(names.size());
    i.symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    i.symbols[1].st_shndx = text;
    i.symbols[1].st_size = size;
    names += name + '\0';
    memcpy(i.header.e_ident, ELFMAG, SELFMAG);
    i.header.e_ident[EI_CLASS] = ELFCLASS64;
    i.header.e_ident[EI_DATA] = ELFDATA2LSB;
    i.header.e_ident[EI_VERSION] = i.header.e_version = EV_CURRENT;
    i.header.e_type = ET_REL;
    i.header.e_machine = EM_X86_64;
    i.header.e_ehsize = sizeof i.header;
    i.header.e_shoff = offsetof(Image, sections);
    i.header.e_shentsize = sizeof(Elf64_Shdr);
    i.header.e_shnum = kSections;
    i.header.e_shstrndx = strings;
    Elf64_Shdr& t = i.sections[text];
    t.sh_name = kTextName, t.sh_type = SHT_NOBITS, t.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    t.sh_addr = reinterpret_cast<uint64_t>(code), t.sh_size = size, t.sh_addralign = 16;
    Elf64_Shdr& s = i.sections[symbols];
    s.sh_name = kSymbolsName, s.sh_type = SHT_SYMTAB, s.sh_link = strings, s.sh_info = 1;
    s.sh_offset = offsetof(Image, symbols), s.sh_size = sizeof i.symbols;
    s.sh_addralign = 8, s.sh_entsize = sizeof(Elf64_Sym);
    Elf64_Shdr& n = i.sections[strings];
    n.sh_name = kStringsName, n.sh_type = SHT_STRTAB, n.sh_addralign = 1;
    n.sh_offset = sizeof(Image), n.sh_size = names.size();
    bytes.assign(reinterpret_cast<const char*>(&i), sizeof i);
    bytes += names;
    entry.file = bytes.data();
    entry.size = bytes.size();
  }
};

GdbSymbols::GdbSymbols() = default;
GdbSymbols::~GdbSymbols() {
  while (!files_.empty()) forget(files_.begin()->first);
}

void GdbSymbols::add(const uint8_t* code, size_t size, const std::string& name) {
  std::unique_ptr<File>& file = files_[code];
  file = std::make_unique<File>(code, size, name);
  std::lock_guard lock(list_lock);
  file->entry.next = __jit_debug_descriptor.first;
  if (file->entry.next) file->entry.next->previous = &file->entry;
  __jit_debug_descriptor.first = &file->entry;
  notify_debugger(registered, &file->entry);
}

void GdbSymbols::forget(const uint8_t* code) {
  auto it = files_.find(code);
  if (it == files_.end()) return;
  {
    std::lock_guard lock(list_lock);
    jit_code_entry& e = it->second->entry;
    (e.previous ? e.previous->next : __jit_debug_descriptor.first) = e.next;
    if (e.next) e.next->previous = e.previous;
    notify_debugger(unregistered, &e);
  }
  files_.erase(it);
}

}  // namespace wb
