#include "base/cgroup.h"

#include <fstream>

namespace wb {

std::string first_line_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

void each_cgroup(const std::string& root, const std::string& controller,
                 const std::function<void(const std::string&, bool)>& look) {
  auto ancestors = [&](const std::string& mount, std::string path, bool v2) {
    look(mount, v2);
    for (; path.size() > 1; path.erase(path.rfind('/'))) look(mount + path, v2);
  };
  std::ifstream in(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {  // "0::/path" (v2) or "4:cpu,cpuacct:/path" (v1)
    size_t first = line.find(':');
    size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string names = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path.empty() || path[0] != '/') path.insert(0, "/");
    if (names.empty()) {
      ancestors(root + "/sys/fs/cgroup", path, true);
    } else if (("," + names + ",").find("," + controller + ",") != names.npos) {
      ancestors(root + "/sys/fs/cgroup/" + controller, path, false);
      if (names != controller) ancestors(root + "/sys/fs/cgroup/" + names, path, false);
    }
  }
}

}  // namespace wb
