#include "loader/code_path.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>

namespace wb {

static int rank(const std::string& name) {
  static constexpr std::string_view first[] = {"stdlib", "kernel", "erts", "compiler", "elixir"};
  for (int k = 0; k < 5; ++k) {
    if (name.rfind(first[k], 0) == 0) return k;
  }
  return 5;
}

void CodePath::add_first(std::string directory) {
  std::unique_lock lock(lock_);
  directories_.insert(directories_.begin(), std::move(directory));
}
void CodePath::add_last(std::string directory) {
  std::unique_lock lock(lock_);
  directories_.push_back(std::move(directory));
}
void CodePath::set(std::vector<std::string> directories) {
  std::unique_lock lock(lock_);
  directories_ = std::move(directories);
}
std::vector<std::string> CodePath::directories() const {
  std::shared_lock lock(lock_);
  return directories_;
}

void CodePath::add_libraries(const std::string& root) {
  std::string lib = root + "/lib";
  DIR* d = opendir(lib.c_str());
  if (!d) return;
  std::vector<std::string> names;
  while (dirent* entry = readdir(d)) {
    if (entry->d_name[0] != '.') names.push_back(entry->d_name);
  }
  closedir(d);
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
  });
  // An application that is not installed may have left its sources or examples here.
  for (const std::string& name : names) {
    std::string ebin = lib + "/" + name + "/ebin";
    if (access(ebin.c_str(), X_OK) == 0) add_last(ebin);
  }
}

std::string CodePath::find(std::string_view module) const {
  if (module.empty() || module.find('/') != std::string_view::npos ||
      module.find('\0') != std::string_view::npos) {
    return {};
  }
  std::string path;
  std::shared_lock lock(lock_);
  for (const std::string& d : directories_) {
    path.assign(d).append("/").append(module).append(".beam");
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

}  // namespace wb
