// How a recorded program was started: text at the head of a recording, by which it is started
// again.
#pragma once

#include <string>

#include "vm/machine/embed.h"

namespace wb {

std::string recorded_command(const RunOptions& o);
/// Into `o`, whose other fields stay, and where that was. What is wrong with it, or nothing.
std::string read_recorded_command(const std::string& text, RunOptions* o, std::string* directory);

}  // namespace wb
