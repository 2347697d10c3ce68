// Files whose other end somebody must open, or that have nothing to read yet: FIFOs, terminals.
//
// All files are opened not to block, which changes nothing for those on disks. What the system says
// cannot be done at once is waited for on a dirty I/O thread, and ends with the process.
#pragma once

#include <sys/stat.h>

#include <optional>

namespace wb {

class Process;

/// Until `fd` has some of poll's `events`. False: the process has ended.
bool wait_until_ready(Process& p, int fd, short events);

struct OpenFile {
  int fd;  ///< -1: `error`
  int error;
  mode_t type;
  off_t size;
};
/// As open(2), with its waiting for who reads what a FIFO is written, or writes what is read.
/// Nothing: the process has ended.
std::optional<OpenFile> open_file(Process& p, const char* path, int flags);

}  // namespace wb
