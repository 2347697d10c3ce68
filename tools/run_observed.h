// `whitebeam run --observe`: a program and, from its first moment, somebody who looks at it.
#pragma once

#include "tools/commands.h"

namespace wb {

class HistoryFile;

/// Another process keeps the last minute of this one there, from now on.
void keep_history(HistoryFile& file);

/// The program's exit code.
int run_observed(const RunCommand& command);

}  // namespace wb
