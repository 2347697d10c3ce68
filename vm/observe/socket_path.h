// Where machines listen: DIRECTORY/PID.sock, the directory for this user only.
#pragma once

#include <string>

namespace wb {

/// $XDG_RUNTIME_DIR/whitebeam, or /tmp/whitebeam-observe-UID without it.
std::string observer_directory();
/// DIRECTORY/PID.sock
std::string observer_socket(const std::string& directory, long pid);

}  // namespace wb
