// `whitebeam run --observe`: a program and, from its first moment, somebody who looks at it.
#pragma once

#include "tools/commands.h"

namespace wb {

/// The program's exit code.
int run_observed(const RunCommand& command);

}  // namespace wb
