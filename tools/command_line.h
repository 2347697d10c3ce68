// The command line, parsed.
#pragma once

#include <variant>

#include "tools/commands.h"

namespace wb {

/// An exit code when there is nothing left to do (help, version, a usage error: already printed).
using CommandLine =
    std::variant<int, RunCommand, DisasmCommand, DoctorCommand, ObserveCommand, InstallCommand,
                 BindirCommand, ImageCommand, ExploreCommand, BuildCommand, ReplayCommand>;
CommandLine parse_command_line(int argc, char** argv);

/// Options of `run` alone, divided by blanks (WHITEBEAM_FLAGS). False: `*error` says what is wrong.
bool parse_run_options(const std::string& text, RunOptions* options, std::string* error);

}  // namespace wb
