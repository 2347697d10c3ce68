#include "vm/nif/claims.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace wb {
namespace {
constexpr size_t kPage = 4096;        // or a part of one
constexpr size_t kMaxText = 4 * 255;  // bytes of the longest atom
}  // namespace

UnknownMemory::UnknownMemory() {
  if (pipe2(pipe_, O_CLOEXEC)) pipe_[0] = pipe_[1] = -1;
}
UnknownMemory::~UnknownMemory() {
  if (pipe_[0] < 0) return;
  close(pipe_[0]);
  close(pipe_[1]);
}
/// One byte of each page goes through the pipe. (Without one everything is believed.)
bool UnknownMemory::has(const void* at, size_t n) const {
  if (!at) return false;
  const auto begin = reinterpret_cast<uintptr_t>(at), end = begin + n;
  if (end < begin) return false;
  for (uintptr_t byte = begin; byte < end && pipe_[0] >= 0; byte = (byte / kPage + 1) * kPage) {
    char taken;
    if (write(pipe_[1], reinterpret_cast<const void*>(byte), 1) != 1) return false;
    if (read(pipe_[0], &taken, 1) != 1) return false;
  }
  return true;
}
bool UnknownMemory::has_text(const char* at) const {
  for (size_t seen = 0; seen <= kMaxText;) {
    const size_t left = kPage - reinterpret_cast<uintptr_t>(at + seen) % kPage;
    if (!has(at + seen, 1)) return false;
    if (memchr(at + seen, 0, left)) return true;
    seen += left;
  }
  return false;
}

std::string wrong_in_entry(const NifEntry& entry, size_t most) {
  const UnknownMemory memory;
  // What the first versions had, all have.
  if (!memory.has(entry.operator->(), offsetof(ErlNifEntry, vm_variant))) return "it is not there";
  const int minor = entry->minor;
  if (minor < 0) return "its version is none";
  if (minor >= 1 && !memory.has(&entry->vm_variant)) return "it ends too early";
  if (minor >= 14 && !memory.has(&entry->min_erts)) return "it ends too early";
  if (!memory.has_text(entry->name)) return "it has no name";
  if (!memory.has_text(entry.variant())) return "it has no variant";
  if (entry.min_erts() && !memory.has_text(entry.min_erts())) return "the release needed is none";
  if (entry->num_of_funcs < 0) return "the number of its functions is none";
  for (size_t k = 0; k < std::min(entry.functions(), most + 1); ++k) {
    if (!memory.has(entry.place_of(k), entry.size_of_function()))
      return "its table of functions ends too early";
    const ErlNifFunc f = entry.function(k);
    if (!memory.has_text(f.name)) return "a function has no name";
    if (!f.fptr) return std::string("function ") + f.name + " has no body";
  }
  return "";
}

std::string wrong_in_entry(const ErlDrvEntry* entry) {
  const UnknownMemory memory;
  if (!memory.has(entry)) return "it is not there";
  return memory.has_text(entry->driver_name) ? "" : "it has no name";
}

}  // namespace wb
