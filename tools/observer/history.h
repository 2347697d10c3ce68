// Keeping a machine's last minute in a file (`run --history FILE`, `observe --record FILE`), and
// reading it after the machine has ended (`observe FILE`). The file is vm/observe/history_file.h's.
#pragma once

#include <string>

#include "tools/observer/client.h"
#include "vm/observe/history_file.h"

namespace wb {

/// A look each `interval` seconds until the machine ends. Empty, or why not.
std::string record_history(ObserverClient& client, HistoryFile& file, double interval);

/// Is that a file, and no socket or number of a machine?
bool is_history(const std::string& path);
/// Prints it as text or JSON; why not in *error.
bool print_history(const std::string& path, bool json, std::string* error);

}  // namespace wb
