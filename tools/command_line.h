// The command line, parsed.
#pragma once

#include <variant>

#include "tools/commands.h"

namespace wb {

/// An exit code when there is nothing left to do (help, version, a usage error: already printed).
using CommandLine = std::variant<int, RunCommand, DisasmCommand, DoctorCommand, ObserveCommand>;
CommandLine parse_command_line(int argc, char** argv);

}  // namespace wb
