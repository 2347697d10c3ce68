#include "scheduler/cpu_count.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace wb {
namespace {

// The mask may need more room than cpu_set_t has: grow until the kernel is content.
uint32_t affinity_cpus() {
  for (size_t cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return uint32_t(count);
  }
  return uint32_t(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

uint32_t quota_cpus(double quota, double period) {
  if (quota <= 0 || period <= 0) return UINT32_MAX;
  double cpus = quota / period;
  return cpus >= 1e6 ? UINT32_MAX : std::max(1u, uint32_t(cpus + 0.999));
}

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

uint32_t v2_limit(const std::string& directory) {  // "max 100000" or "150000 100000"
  std::istringstream line(first_line(directory + "/cpu.max"));
  std::string quota;
  double period = 0;
  line >> quota >> period;
  return quota.empty() || quota == "max" ? UINT32_MAX : quota_cpus(atof(quota.c_str()), period);
}

uint32_t v1_limit(const std::string& directory) {
  return quota_cpus(atof(first_line(directory + "/cpu.cfs_quota_us").c_str()),
                    atof(first_line(directory + "/cpu.cfs_period_us").c_str()));
}

// A limit of any ancestor binds too. Inside a container the path may not exist below the mount;
// the mount's own root is then what applies, and is always looked at.
template <class Limit>
uint32_t least_limit(const std::string& mount, std::string path, Limit limit) {
  uint32_t least = limit(mount);
  for (; path.size() > 1; path.erase(path.rfind('/'))) least = std::min(least, limit(mount + path));
  return least;
}

uint32_t cgroup_cpus(const std::string& root) {
  uint32_t least = UINT32_MAX;
  std::ifstream in(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {  // "0::/path" (v2) or "4:cpu,cpuacct:/path" (v1)
    size_t first = line.find(':');
    size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path.empty() || path[0] != '/') path.insert(0, "/");
    if (controllers == ",,") {
      least = std::min(least, least_limit(root + "/sys/fs/cgroup", path, v2_limit));
    } else if (controllers.find(",cpu,") != controllers.npos) {
      for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
        least = std::min(least, least_limit(root + mount, path, v1_limit));
      }
    }
  }
  return least;
}

}  // namespace

uint32_t usable_cpus(const std::string& root) {
  return std::max(1u, std::min(affinity_cpus(), cgroup_cpus(root)));
}

}  // namespace wb
