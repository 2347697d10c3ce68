// By the tables that the linker has gone through: a relocation with a symbol says where its address
// stands. RTLD_NOW has filled all of them before. What is read-only since (RELRO) is made writable.
#include "vm/nif/imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace wb {
namespace {

struct Tables {
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  const Elf64_Rela *data = nullptr, *calls = nullptr;
  size_t data_size = 0, calls_size = 0;
};

/// glibc has added the library's address to what stands there.
template <class T>
const T* table_at(const link_map& m, uint64_t where) {
  return reinterpret_cast<const T*>(where < m.l_addr ? where + m.l_addr : where);
}

Tables tables_of(const link_map& m) {
  Tables t;
  for (const Elf64_Dyn* d = m.l_ld; d && d->d_tag != DT_NULL; ++d) {
    const uint64_t value = d->d_un.d_val;
    switch (d->d_tag) {
      case DT_SYMTAB:
        t.symbols = table_at<Elf64_Sym>(m, value);
        break;
      case DT_STRTAB:
        t.names = table_at<char>(m, value);
        break;
      case DT_RELA:
        t.data = table_at<Elf64_Rela>(m, value);
        break;
      case DT_RELASZ:
        t.data_size = value / sizeof(Elf64_Rela);
        break;
      case DT_JMPREL:
        t.calls = table_at<Elf64_Rela>(m, value);
        break;
      case DT_PLTRELSZ:
        t.calls_size = value / sizeof(Elf64_Rela);
        break;
      default:
        break;
    }
  }
  return t;
}

void write_word(uint64_t at, void* value) {
  const auto page_size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(at / page_size * page_size);
  if (mprotect(page, page_size, PROT_READ | PROT_WRITE) == 0) *reinterpret_cast<void**>(at) = value;
}

void redirect(const link_map& m, const Tables& t, const Elf64_Rela* all, size_t n,
              void* (*other)(const char*)) {
  for (size_t k = 0; all && k < n; ++k) {
    const uint64_t type = ELF64_R_TYPE(all[k].r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
    const Elf64_Sym& symbol = t.symbols[ELF64_R_SYM(all[k].r_info)];
    if (symbol.st_shndx != SHN_UNDEF) continue;
    if (void* to = other(t.names + symbol.st_name)) write_word(m.l_addr + all[k].r_offset, to);
  }
}

}  // namespace

void redirect_imports(void* library, void* (*other)(const char*)) {
  link_map* first = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &first) != 0) return;
  for (const link_map* m = first; m; m = m->l_next) {
    const Tables t = tables_of(*m);
    if (!t.symbols || !t.names) continue;
    redirect(*m, t, t.data, t.data_size, other);
    redirect(*m, t, t.calls, t.calls_size, other);
  }
}

}  // namespace wb
