// What this machine offers beside OTP: Elixir's library, tools.
#pragma once

#include <string>
#include <vector>

#include "loader/otp_root.h"

namespace wb {

/// Elixir's ebin directory, found beside `elixirc`; empty if there is none.
std::string find_elixir_ebin();

/// First line of a small file, without the newline.
std::string first_line(const std::string& path);

/// Runs a program in `directory` and waits; its output goes to our stderr. Its exit code, or 127 if
/// not started.
int run_tool(const std::vector<std::string>& command, const std::string& directory);
/// The same of a command for the shell, here, with `directories` ("a:b") first in PATH, from now
/// on.
int run_in_shell(const std::string& command, const std::string& directories);

}  // namespace wb
