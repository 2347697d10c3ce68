// How many schedulers suit this machine: what the process may use, not what the machine has.
#pragma once

#include <cstdint>
#include <string>

namespace wb {

/// The cores in the affinity mask, bounded by the cgroup's quota (v1 and v2, rounded up). At least
/// 1. `root`: where the file systems are mounted, for tests.
uint32_t usable_cpus(const std::string& root = "");

}  // namespace wb
