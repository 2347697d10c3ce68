#include "scheduler/cpu_count.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/cgroup.h"
#include "scheduler/cpu_set.h"

namespace wb {
namespace {

uint32_t quota_cpus(double quota, double period) {
  if (quota <= 0 || period <= 0) return UINT32_MAX;
  double cpus = quota / period;
  return cpus >= 1e6 ? UINT32_MAX : std::max(1u, uint32_t(cpus + 0.999));
}

uint32_t v2_limit(const std::string& directory) {  // "max 100000" or "150000 100000"
  std::istringstream line(first_line_of(directory + "/cpu.max"));
  std::string quota;
  double period = 0;
  line >> quota >> period;
  return quota.empty() || quota == "max" ? UINT32_MAX : quota_cpus(atof(quota.c_str()), period);
}

uint32_t v1_limit(const std::string& directory) {
  return quota_cpus(atof(first_line_of(directory + "/cpu.cfs_quota_us").c_str()),
                    atof(first_line_of(directory + "/cpu.cfs_period_us").c_str()));
}

}  // namespace

uint32_t allowed_cpus() {
  const uint32_t count = CpuSet::of_thread(getpid()).count();
  return count ? count : uint32_t(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

uint32_t cpu_quota(const std::string& root) {
  uint32_t least = UINT32_MAX;
  each_cgroup(root, "cpu", [&](const std::string& directory, bool v2) {
    least = std::min(least, v2 ? v2_limit(directory) : v1_limit(directory));
  });
  return least == UINT32_MAX ? 0 : least;
}

uint32_t usable_cpus(const std::string& root) {
  uint32_t quota = cpu_quota(root), allowed = allowed_cpus();
  return std::max(1u, quota ? std::min(allowed, quota) : allowed);
}

}  // namespace wb
