#include "tools/native_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <span>
#include <string_view>

#include "loader/code_table.h"

namespace wb {
namespace {

/// `count` things of a type at an offset of the file, or none where they do not fit.
template <class T>
std::span<const T> at(const std::vector<uint8_t>& file, uint64_t offset, uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return {};
  if (offset % alignof(T) != 0) return {};
  return {reinterpret_cast<const T*>(file.data() + offset), static_cast<size_t>(count)};
}

bool is_of_the_machine(std::string_view name) {
  for (std::string_view begin : {"enif_", "driver_", "erl_drv_", "erl_", "erts_"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace

bool read_native_library(const std::string& path, NativeLibrary* library) {
  auto file = read_file_bytes(path);
  if (!file) return false;
  auto header = at<Elf64_Ehdr>(*file, 0, 1);
  if (header.empty() || memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return false;
  library->is_foreign =
      header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_machine != EM_X86_64;
  if (library->is_foreign) return true;
  auto sections = at<Elf64_Shdr>(*file, header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    auto names = at<char>(*file, strings.sh_offset, strings.sh_size);
    if (names.empty() || names.back() != 0) return false;
    for (const Elf64_Sym& symbol :
         at<Elf64_Sym>(*file, section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (symbol.st_name >= names.size()) return false;
      const char* name = names.data() + symbol.st_name;
      if (symbol.st_shndx != SHN_UNDEF) {
        library->is_nif |= strcmp(name, "nif_init") == 0;
        library->is_driver |= strcmp(name, "driver_init") == 0;
      } else if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK && is_of_the_machine(name) &&
                 !dlsym(RTLD_DEFAULT, name)) {
        library->missing.emplace_back(name);
      }
    }
  }
  return true;
}

}  // namespace wb
