#include "base/users_cache.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/own_files.h"

namespace fs = std::filesystem;

namespace wb {

std::string users_cache() {
  const char* xdg = getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') return std::string(xdg) + "/whitebeam";
  const char* home = getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/whitebeam" : "";
}

static bool make_own(const std::string& directory, mode_t others, std::string* error) {
  const int failed = make_own_directory(directory, others);
  if (!failed) return true;
  return *error = directory +
                  (failed == EPERM ? " is not yours alone" : std::string(": ") + strerror(failed)),
         false;
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
