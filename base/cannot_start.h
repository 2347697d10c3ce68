// For what the operating system refuses when the machine starts.
#pragma once

namespace wb {

/// Ends this thread's instance with exit code 2 (base/instance.h), saying why (`error`: errno, or
/// 0).
[[noreturn]] __attribute__((noinline, cold)) void cannot_start(const char* why, int error);

}  // namespace wb
