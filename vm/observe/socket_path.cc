#include "vm/observe/socket_path.h"

#include <unistd.h>

#include <cstdlib>

namespace wb {

std::string observer_directory() {
  const char* run = getenv("XDG_RUNTIME_DIR");
  if (run && run[0] == '/') return std::string(run) + "/whitebeam";
  return "/tmp/whitebeam-observe-" + std::to_string(getuid());
}

std::string observer_socket(const std::string& directory, long pid) {
  return directory + "/" + std::to_string(pid) + ".sock";
}

}  // namespace wb
