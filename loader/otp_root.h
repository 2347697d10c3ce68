// Where an OTP is that modules can be taken from.
#pragma once

#include <string>

namespace wb {

/// Full path of an executable found in PATH; empty if there is none.
std::string find_in_path(const std::string& program);

/// The OTP root (the directory with lib/stdlib-*/ebin): `wanted` if given, else /usr/lib/erlang,
/// else where `erl` in PATH belongs to. Empty if there is none.
std::string find_otp_root(const std::string& wanted);
/// Directory of `application`'s newest version below root/lib, e.g. .../lib/stdlib-4.2; empty if
/// none.
std::string otp_application(const std::string& root, const std::string& application);

}  // namespace wb
