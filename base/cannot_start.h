// For what the operating system refuses when the machine starts.
#pragma once

namespace wb {

/// Prints why (`error`: errno, or 0) and ends the program with exit code 2.
[[noreturn]] __attribute__((noinline, cold)) void cannot_start(const char* why, int error);

}  // namespace wb
