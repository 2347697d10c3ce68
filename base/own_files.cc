#include "base/own_files.h"

#include <fcntl.h>

namespace wb {

int open_regular_file(const std::string& path, size_t* size) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat s;
  if (fd < 0) return -1;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
    close(fd);
    errno = EINVAL;
    return -1;
  }
  *size = static_cast<size_t>(s.st_size);
  return fd;
}

int read_all(int fd, void* to, size_t n) {
  for (auto* p = static_cast<char*>(to); n;) {
    const ssize_t got = ::read(fd, p, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    p += got, n -= static_cast<size_t>(got);
  }
  return 0;
}

int write_all(int fd, const void* from, size_t n) {
  for (const auto* p = static_cast<const char*>(from); n;) {
    const ssize_t put = ::write(fd, p, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : EIO;
    p += put, n -= static_cast<size_t>(put);
  }
  return 0;
}

bool is_users_own(const struct stat& s, mode_t others) {
  return s.st_uid == geteuid() && !(s.st_mode & others);
}

bool is_own_directory(const std::string& path, mode_t others) {
  struct stat s;
  return lstat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && is_users_own(s, others);
}

int make_own_directory(const std::string& path, mode_t others) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return errno;
  return is_own_directory(path, others) ? 0 : EPERM;
}

}  // namespace wb
