// How many processors this process may use, and how many schedulers suit it.
#pragma once

#include <cstdint>
#include <string>

namespace wb {

/// The cores in the affinity mask of the process (of its main thread).
uint32_t allowed_cpus();
/// The cgroup's quota (v1 and v2), rounded up; 0: there is none. `root`: where the file systems are
/// mounted, for tests.
uint32_t cpu_quota(const std::string& root = "");
/// The least of both: so many schedulers. At least 1.
uint32_t usable_cpus(const std::string& root = "");

}  // namespace wb
