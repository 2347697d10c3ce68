#include "vm/observe/socket_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace wb {

std::string observer_directory() {
  const char* run = getenv("XDG_RUNTIME_DIR");
  if (run && run[0] == '/') return std::string(run) + "/whitebeam";
  return "/tmp/whitebeam-observe-" + std::to_string(getuid());
}

bool is_private_directory(const std::string& directory) {
  struct stat s;
  if (lstat(directory.c_str(), &s) != 0) return false;
  return S_ISDIR(s.st_mode) && s.st_uid == getuid() && (s.st_mode & 077) == 0;
}

bool make_observer_directory(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return false;
  return is_private_directory(directory);
}

std::string observer_socket(const std::string& directory, long pid) {
  return directory + "/" + std::to_string(pid) + ".sock";
}

}  // namespace wb
