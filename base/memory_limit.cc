#include "base/memory_limit.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/cgroup.h"
#include "base/instance.h"
#include "base/large_blocks.h"
#include "base/out_of_memory.h"

namespace wb {
namespace {

/// The machine's memory, or less if a control group says so. "max" and v1's huge number: no limit.
size_t found_limit() {
  size_t least = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * 4096;
  each_cgroup("", "memory", [&](const std::string& directory, bool v2) {
    std::string line = first_line_of(directory + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    size_t bytes = strtoull(line.c_str(), nullptr, 10);
    if (bytes) least = std::min(least, bytes);
  });
  return least - least / 64;  // the rest is for what is not counted here: page tables, buffers
}

int statm() {
  static const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  return fd;
}

}  // namespace

static size_t machine_limit() {
  static const size_t limit = found_limit();
  return limit;
}

size_t memory_limit() {
  const size_t own = this_instance ? this_instance->memory_limit : 0;
  return own ? own : machine_limit();
}

size_t reservation_limit() {
  rlimit addresses;
  if (getrlimit(RLIMIT_AS, &addresses) || addresses.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return addresses.rlim_cur / 4;
}

size_t resident_bytes() {
  char text[128];
  ssize_t n = pread(statm(), text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  char* second = nullptr;
  strtoull(text, &second, 10);
  return strtoull(second, nullptr, 10) * 4096;
}

namespace {
/// What counts against memory_limit(); 0: unknown.
size_t used_bytes() {
  const size_t resident = resident_bytes();
  if (!this_instance || !this_instance->memory_limit) return resident;
  const auto others = static_cast<size_t>(live_bytes_elsewhere());
  return resident > others ? resident - others : 0;
}

bool fits(size_t bytes) {
  const size_t limit = memory_limit(), used = used_bytes();
  return used == 0 || (bytes < limit && used < limit - bytes);
}
}  // namespace

bool memory_has_room(size_t bytes) {
  return fits(bytes) || (release_large_blocks() && fits(bytes));
}

void check_memory_limit() {
  if (memory_has_room(0)) return;
  char text[160];
  snprintf(text, sizeof text, "whitebeam: %zu bytes of memory are in use, the limit is %zu\n",
           used_bytes(), memory_limit());
  out_of_memory("system", 0, text);
}

}  // namespace wb
