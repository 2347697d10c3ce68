// What of a directory runs here: its modules, its libraries, its emulators.
#pragma once

#include <string>
#include <vector>

namespace wb {

/// `doctor --load-all`: loads every module below each, and makes native code of it if asked to. The
/// exit code.
int load_all_modules(const std::vector<std::string>& directories, bool native);

/// `doctor DIR`: a release, a project's _build or an application, before anybody starts it.
/// `absent`: the native functions of OTP that are not there, as "module:name/arity", sorted. The
/// exit code.
int examine_directory(const std::string& directory, const std::vector<std::string>& absent);

}  // namespace wb
