#include "base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace wb {

bool find_build_id(BuildId* id) {
  static constexpr size_t kBytes = 20;
  auto look = [](dl_phdr_info* info, size_t, void* out) {
    for (int k = 0; k < info->dlpi_phnum; ++k) {
      const ElfW(Phdr)& p = info->dlpi_phdr[k];
      if (p.p_type != PT_NOTE) continue;
      const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr);
      const char* end = at + p.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        const char* name = at + sizeof note;
        const char* text = name + (note.n_namesz + 3) / 4 * 4;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= kBytes && note.n_namesz == 4 &&
            memcmp(name, "GNU", 4) == 0) {
          memcpy(static_cast<BuildId*>(out)->data(), text, kBytes);
          return 1;
        }
        at = text + (note.n_descsz + 3) / 4 * 4;
      }
    }
    return -1;  // the first is the executable
  };
  return dl_iterate_phdr(look, id) == 1;
}

}  // namespace wb
