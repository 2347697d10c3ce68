#include "base/users_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace fs = std::filesystem;

namespace wb {

std::string users_cache() {
  const char* xdg = getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') return std::string(xdg) + "/whitebeam";
  const char* home = getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/whitebeam" : "";
}

/// Makes it; others may not write there (`others`: the bits of the mode that must not be).
static bool make_own(const std::string& directory, mode_t others, std::string* error) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return *error = directory + ": " + strerror(errno), false;
  struct stat s;
  const bool there = lstat(directory.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
  if (there && s.st_uid == geteuid() && !(s.st_mode & others)) return true;
  return *error = directory + " is not yours alone", false;
}

std::string private_cache(const std::string& name, std::string* error) {
  if (geteuid() != getuid()) return *error = "runs with another user's rights", "";
  std::string cache = users_cache();
  if (cache.empty()) cache = "/tmp/whitebeam-" + std::to_string(geteuid());
  std::error_code ec;
  fs::create_directories(fs::path(cache).parent_path(), ec);
  const std::string directory = cache + "/" + name;
  return make_own(cache, 022, error) && make_own(directory, 077, error) ? directory : "";
}

}  // namespace wb
