// The control groups (v1 and v2) whose limits bind this OS process.
//
// A limit of any ancestor binds too. Inside a container the path may not exist below the mount;
// the mount's own root is then what applies, and is always among the directories.
#pragma once

#include <functional>
#include <string>

namespace wb {

/// Calls look(directory, is_v2) for each directory that may hold a limit of `controller` ("cpu",
/// "memory"). `root`: the file system to look in ("" but in tests).
void each_cgroup(const std::string& root, const std::string& controller,
                 const std::function<void(const std::string& directory, bool v2)>& look);

/// First line of a small file, without the newline; empty if there is none.
std::string first_line_of(const std::string& path);

}  // namespace wb
