#include "loader/otp_root.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace wb {

std::string find_in_path(const std::string& program) {
  const char* path = getenv("PATH");
  if (!path) return {};
  std::string all = path;
  for (size_t begin = 0; begin <= all.size();) {
    size_t end = std::min(all.find(':', begin), all.size());
    std::string candidate = (end > begin ? all.substr(begin, end - begin) : ".") + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

std::string otp_application(const std::string& root, const std::string& application) {
  std::error_code ec;
  std::string best;
  for (const auto& entry : fs::directory_iterator(root + "/lib", ec)) {
    std::string name = entry.path().filename();
    bool matches = name == application || name.starts_with(application + "-");
    if (matches && fs::is_directory(entry.path() / "ebin", ec))
      best = std::max(best, entry.path().string());
  }
  return best;
}

static bool is_otp_root(const std::string& root) {
  return !otp_application(root, "stdlib").empty();
}

std::string find_otp_root(const std::string& wanted) {
  if (!wanted.empty()) {
    for (const char* below : {"", "/lib/erlang"})
      if (is_otp_root(wanted + below)) return wanted + below;
    return {};
  }
  if (is_otp_root("/usr/lib/erlang")) return "/usr/lib/erlang";
  std::error_code ec;
  fs::path erl = fs::canonical(find_in_path("erl"), ec);
  // .../bin/erl or .../erts-13.1.5/bin/erl
  for (fs::path up = erl; up.has_relative_path(); up = up.parent_path())
    if (is_otp_root(up)) return up;
  return {};
}

}  // namespace wb
