// Sampled stacks for pprof: `pprof -http : FILE`, `go tool pprof FILE`.
#pragma once

#include <string>

#include "tools/observer/json_value.h"

namespace wb {

/// profile.proto of the answer to `profile`, compressed as pprof writes it itself.
std::string pprof_gz(const JsonValue& profile);

}  // namespace wb
