#include "base/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <span>

#include "base/own_files.h"

namespace wb {
namespace {

/// Among the notes of a segment.
bool find_in_notes(std::span<const char> notes, BuildId* id) {
  static constexpr size_t kBytes = 20;
  const auto padded = [](uint64_t n) { return (n + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const uint64_t name = padded(note.n_namesz), text = padded(note.n_descsz);
    if (name + text > notes.size()) return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= kBytes && note.n_namesz == 4 &&
        memcmp(notes.data(), "GNU", 4) == 0) {
      memcpy(id->data(), notes.data() + name, kBytes);
      return true;
    }
    notes = notes.subspan(name + text);
  }
  return false;
}

bool find_in_page(std::span<const char> page, BuildId* id) {
  ElfW(Ehdr) header;
  if (page.size() < sizeof header) return false;
  memcpy(&header, page.data(), sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  for (uint64_t k = 0; k < header.e_phnum; ++k) {
    ElfW(Phdr) segment;
    const uint64_t at = header.e_phoff + k * sizeof segment;
    if (at > page.size() || page.size() - at < sizeof segment) return false;
    memcpy(&segment, page.data() + at, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_offset > page.size() ||
        page.size() - segment.p_offset < segment.p_filesz)
      continue;
    if (find_in_notes(page.subspan(segment.p_offset, segment.p_filesz), id)) return true;
  }
  return false;
}

}  // namespace

bool find_build_id(BuildId* id) {
  auto look = [](dl_phdr_info* info, size_t, void* out) {
    for (int k = 0; k < info->dlpi_phnum; ++k) {
      const ElfW(Phdr)& p = info->dlpi_phdr[k];
      if (p.p_type != PT_NOTE) continue;
      const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr);
      if (find_in_notes({at, p.p_memsz}, static_cast<BuildId*>(out))) return 1;
    }
    return -1;  // the first is the executable
  };
  return dl_iterate_phdr(look, id) == 1;
}

bool find_build_id(const std::string& file, BuildId* id) {
  std::array<char, kElfPage> page;
  FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t n = fd < 0 ? -1 : pread(fd, page.data(), page.size(), 0);
  return n > 0 && find_in_page({page.data(), static_cast<size_t>(n)}, id);
}

}  // namespace wb
