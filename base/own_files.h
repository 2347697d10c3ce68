// Files that the machine keeps for itself: caches, images, sockets, programs that unpack
// themselves. What is in them is run or obeyed later, so they have to be the user's own.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

namespace wb {

/// Owns a descriptor; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  operator int() const { return fd_; }
  /// 0, or why what was written may not be there.
  int close() { return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_;
};

/// To be read, and its size; -1 and errno, EINVAL if it is no regular file.
int open_regular_file(const std::string& path, size_t* size);
/// All `n` bytes, or the errno why not; EIO where a file ends before.
int read_all(int fd, void* to, size_t n);
int write_all(int fd, const void* from, size_t n);

/// Belongs to this user, and nobody else has one of the rights `others` (bits of the mode).
bool is_users_own(const struct stat& s, mode_t others = 077);
/// The same of a directory, which is no link to one.
bool is_own_directory(const std::string& path, mode_t others = 077);
/// Makes it where it is not there. 0 or errno; EPERM: it is another's, or others have a right.
int make_own_directory(const std::string& path, mode_t others = 077);

}  // namespace wb
