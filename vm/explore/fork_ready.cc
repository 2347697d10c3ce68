#include "vm/explore/fork_ready.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace wb {

void restart_for_forks(char** argv) {
  constexpr const char* kMark = "WHITEBEAM_RESTARTED";
  const char* conf = getenv("MALLOC_CONF");
  if (getenv(kMark)) {
    // Programs that it starts need neither.
    unsetenv(kMark), unsetenv("LD_BIND_NOW");
    std::string others = conf ? conf : "";
    others.resize(others.rfind("narenas:1") == std::string::npos ? others.size()
                                                                 : others.rfind("narenas:1"));
    if (others.ends_with(",")) others.pop_back();
    others.empty() ? unsetenv("MALLOC_CONF") : setenv("MALLOC_CONF", others.c_str(), 1);
    return;
  }
  setenv(kMark, "1", 1), setenv("LD_BIND_NOW", "1", 1);
  setenv("MALLOC_CONF",
         (conf ? std::string(conf) + "," : std::string()).append("narenas:1").c_str(), 1);
  execv("/proc/self/exe", argv);
  unsetenv(kMark);
}

#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
std::vector<CodeRange> code_used() { return {}; }
void own_code(const std::vector<CodeRange>&) {}
#else
namespace {

constexpr uint64_t kPage = 4096, kPresent = uint64_t{1} << 63;
constexpr size_t kChunk = 16;  // pages that the system maps at once

using Range = CodeRange;

std::vector<Range> code_of_files() {
  std::vector<Range> ranges;
  FILE* maps = fopen("/proc/self/maps", "re");
  if (!maps) return ranges;
  char line[1024];
  while (fgets(line, sizeof line, maps)) {
    Range r;
    char rights[8], path[512] = "";
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %511s", &r.begin, &r.end, rights,
               path) < 3)
      continue;
    if (strcmp(rights, "r-xp") == 0 && path[0] == '/') ranges.push_back(r);
  }
  fclose(maps);
  return ranges;
}

/// The parts of `all` that are there.
std::vector<Range> used_parts(const Range& all) {
  std::vector<Range> parts;
  FILE* map = fopen("/proc/self/pagemap", "re");
  if (!map) return {all};
  std::vector<uint64_t> pages((all.end - all.begin) / kPage);
  const bool known =
      fseek(map, static_cast<long>(all.begin / kPage * sizeof(uint64_t)), SEEK_SET) == 0 &&
      fread(pages.data(), sizeof(uint64_t), pages.size(), map) == pages.size();
  fclose(map);
  if (!known) return {all};
  for (size_t k = 0; k < pages.size(); k += kChunk) {
    const size_t end = std::min(k + kChunk, pages.size());
    bool used = false;
    for (size_t n = k; n < end; ++n) used |= (pages[n] & kPresent) != 0;
    if (!used) continue;
    const Range part{all.begin + k * kPage, all.begin + end * kPage};
    if (!parts.empty() && parts.back().end == part.begin)
      parts.back().end = part.end;
    else
      parts.push_back(part);
  }
  return parts;
}

void replace_by_copy(const Range& r) {
  const size_t size = r.end - r.begin;
  void* copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return;
  memcpy(copy, reinterpret_cast<void*>(r.begin), size);
  if (mprotect(copy, size, PROT_READ | PROT_EXEC) != 0 ||
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(r.begin)) ==
          MAP_FAILED)
    munmap(copy, size);
}

}  // namespace

std::vector<CodeRange> code_used() {
  std::vector<CodeRange> used;
  for (const Range& code : code_of_files()) {
    for (const Range& part : used_parts(code)) used.push_back(part);
  }
  return used;
}

void own_code(const std::vector<CodeRange>& ranges) {
  const std::vector<Range> files = code_of_files();
  for (const Range& r : ranges) {
    const bool still_of_file = std::ranges::any_of(
        files, [&](const Range& file) { return file.begin <= r.begin && r.end <= file.end; });
    if (still_of_file) replace_by_copy(r);
  }
}
#endif

}  // namespace wb
