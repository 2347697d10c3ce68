// Where machines listen: DIRECTORY/PID.sock, the directory for this user only.
#pragma once

#include <string>

namespace wb {

/// $XDG_RUNTIME_DIR/whitebeam, or /tmp/whitebeam-observe-UID without it.
std::string observer_directory();
/// Makes it, if it is not there. False: it is not what it should be (somebody else's, or open to
/// others).
bool make_observer_directory(const std::string& directory);
bool is_private_directory(const std::string& directory);
/// DIRECTORY/PID.sock
std::string observer_socket(const std::string& directory, long pid);

}  // namespace wb
