#include "vm/jit/perf_map.h"

#include <fcntl.h>
#include <unistd.h>

namespace wb {

std::unique_ptr<PerfMap> PerfMap::make() {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  // Not through a link that somebody else put there.
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  FILE* file = fd < 0 ? nullptr : fdopen(fd, "w");
  if (!file) return nullptr;
  setvbuf(file, nullptr, _IOLBF, 0);
  return std::unique_ptr<PerfMap>(new PerfMap(file));
}

PerfMap::~PerfMap() { fclose(file_); }

void PerfMap::add(const void* code, size_t size, const std::string& name) {
  fprintf(file_, "%zx %zx %s\n", reinterpret_cast<size_t>(code), size, name.c_str());
}

}  // namespace wb
