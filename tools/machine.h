// What this machine offers: OTP's and Elixir's libraries, their compilers, cores.
#pragma once

#include <string>
#include <vector>

namespace wb {

/// Full path of an executable found in PATH; empty if there is none.
std::string find_in_path(const std::string& program);

/// The OTP root (the directory with lib/stdlib-*/ebin): `wanted` if given, else /usr/lib/erlang,
/// else where `erl` in PATH belongs to. Empty if there is none.
std::string find_otp_root(const std::string& wanted);
/// Directory of `application`'s newest version below root/lib, e.g. .../lib/stdlib-4.2; empty if
/// none.
std::string otp_application(const std::string& root, const std::string& application);

/// Elixir's ebin directory, found beside `elixirc`; empty if there is none.
std::string find_elixir_ebin();

/// First line of a small file, without the newline.
std::string first_line(const std::string& path);

/// Runs a program in `directory` and waits; its output goes to our stderr. Its exit code, or 127 if
/// not started.
int run_tool(const std::vector<std::string>& command, const std::string& directory);

}  // namespace wb
