#include "scheduler/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace wb {
namespace {

namespace fs = std::filesystem;

struct FakeRoot {
  FakeRoot() {
    char name[] = "/tmp/cpu_count_XXXXXX";
    path = mkdtemp(name);
  }
  ~FakeRoot() { fs::remove_all(path); }
  void put(const std::string& file, const std::string& text) {
    fs::create_directories((path + file).substr(0, (path + file).rfind('/')));
    std::ofstream(path + file) << text << '\n';
  }
  uint32_t count() { return usable_cpus(path); }
  std::string path;
};

uint32_t at_most(uint32_t n) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return std::min(n, uint32_t(CPU_COUNT(&set)));
}

}  // namespace

TEST_CASE("cpu count: the affinity mask bounds it") {
  CHECK(usable_cpus() >= 1);
  FakeRoot none;
  CHECK(none.count() == at_most(1u << 30));
}

TEST_CASE("cpu count: cgroup v2 quotas, also of ancestors, rounded up") {
  FakeRoot root;
  root.put("/proc/self/cgroup", "0::/a/b");
  root.put("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  CHECK(root.count() == at_most(1u << 30));
  root.put("/sys/fs/cgroup/a/cpu.max", "50000 100000");
  CHECK(root.count() == 1);
  root.put("/sys/fs/cgroup/a/cpu.max", "150000 100000");
  CHECK(root.count() == at_most(2));
  root.put("/sys/fs/cgroup/cpu.max", "1000 100000");
  CHECK(root.count() == 1);
}

TEST_CASE("cpu count: cgroup v1 quotas and nonsense") {
  FakeRoot root;
  root.put("/proc/self/cgroup", "garbage\n4:cpu,cpuacct:/x\n3:memory:/x");
  root.put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1");
  root.put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000");
  CHECK(root.count() == at_most(1u << 30));
  root.put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "20000");
  CHECK(root.count() == 1);
  root.put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "zero");
  CHECK(root.count() == at_most(1u << 30));
}

}  // namespace wb
