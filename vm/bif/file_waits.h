// Files whose other end somebody must open, or that have nothing to read yet: FIFOs, terminals; and
// what takes a disk or the page cache long.
//
// All files are opened not to block, which changes nothing for those on disks. What the system says
// cannot be done at once is waited for on a dirty I/O thread, and ends with the process.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <optional>

#include "vm/process/native_yield.h"

namespace wb {

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

/// To copy so many bytes takes the scheduler longer than a trip to another thread.
constexpr size_t kLongTransfer = 512 << 10;
/// To give back the blocks of this file does, too. By its name, of which it has no other.
bool is_long_to_free(const char* path);

template <class F>
ssize_t retry(F call) {
  ssize_t n;
  do n = call();
  while (n < 0 && errno == EINTR);
  return n;
}
/// `call`, a function of the system's, by a dirty I/O thread: -1 and errno, or what it has
/// returned. Nothing: the process has ended.
template <class F>
std::optional<ssize_t> on_io_thread(Process& p, F call) {
  ssize_t n = 0;
  int error = 0;
  const auto wait = [&] {
    n = retry(call);
    error = errno;
  };
  if (!off_scheduler(p, wait, DirtyKind::io)) return std::nullopt;
  errno = error;
  return n;
}

}  // namespace wb
