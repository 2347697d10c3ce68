// Where the user's caches are.
#pragma once

#include <cstdlib>
#include <string>

namespace wb {

/// $XDG_CACHE_HOME/whitebeam or ~/.cache/whitebeam; empty: there is no home.
inline std::string users_cache() {
  const char* xdg = getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') return std::string(xdg) + "/whitebeam";
  const char* home = getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/whitebeam" : "";
}

}  // namespace wb
