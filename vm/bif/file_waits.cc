#include "vm/bif/file_waits.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/recording.h"
#include "vm/process/interrupt.h"
#include "vm/process/native_yield.h"

namespace wb {
namespace {

int open_now(const char* path, int flags) {
  return static_cast<int>(
      retry([=] { return system_call([=] { return open(path, flags | O_NONBLOCK, 0666); }); }));
}

OpenFile opened(int fd) {
  if (fd < 0) return {fd, errno, 0, 0};
  struct stat s;
  if (descriptor_status(fd, &s) == 0) return {fd, 0, s.st_mode, s.st_size};
  const int error = errno;
  close_descriptor(fd);
  return {-1, error, 0, 0};
}

/// Nothing tells whoever has a FIFO open that its other end is: one looks, ever more seldom.
class Looks {
 public:
  int next_ms() { return std::exchange(ms_, std::min(ms_ * 2, 10)); }

 private:
  int ms_ = 1;
};

/// Has anybody opened this empty FIFO for writing, since it was opened for reading? Copying what is
/// in it fails in another way if somebody may still write.
bool find_writer(int fifo) {
  pollfd f{fifo, POLLIN, 0};
  if (poll(&f, 1, 0) != 0) return true;  // something to read, or whoever wrote is gone
  int beside[2];
  if (pipe2(beside, O_CLOEXEC | O_NONBLOCK) < 0) return true;
  const bool writers = tee(fifo, beside[1], 1, SPLICE_F_NONBLOCK) != 0;
  close(beside[0]), close(beside[1]);
  return writers;
}
bool has_writer(int fifo) {
  return system_call([=] { return find_writer(fifo); }) == 1;
}
bool wait(Interrupt& interrupt, int fd, short events, int ms = -1) {
  return system_call([&] { return interrupt.wait(fd, events, ms); }) == 1;
}
/// A pipe without a name, by way of /dev/stdin, has its other end for good.
bool is_nameless(int fd) {
  struct statfs s;
  return system_call([&] { return fstatfs(fd, &s); }, {{&s, sizeof s}}) == 0 &&
         s.f_type == PIPEFS_MAGIC;
}
bool lacks_writer(const OpenFile& f, int flags) {
  return S_ISFIFO(f.type) && (flags & O_ACCMODE) == O_RDONLY && !has_writer(f.fd) &&
         !is_nameless(f.fd);
}

std::optional<OpenFile> wait_for_writer(Process& p, const OpenFile& f) {
  Interrupt interrupt;
  const bool lives = off_scheduler(
      p,
      [&] {
        Looks looks;
        while (wait(interrupt, f.fd, POLLIN, looks.next_ms()) && !has_writer(f.fd)) {
        }
      },
      interrupt);
  if (lives) return f;
  close_descriptor(f.fd);
  return std::nullopt;
}

/// `path` could not be opened now. What it names is looked up once.
std::optional<OpenFile> wait_to_open(Process& p, const char* path, int flags, OpenFile f) {
  const auto named = static_cast<int>(system_call([=] { return open(path, O_PATH | O_CLOEXEC); }));
  if (named < 0) return f;
  struct stat s;
  const bool waits =
      f.error == EAGAIN || (descriptor_status(named, &s) == 0 && S_ISFIFO(s.st_mode));
  bool lives = true;
  if (waits) {
    const std::string name = "/proc/self/fd/" + std::to_string(named);
    Interrupt interrupt;
    auto look = [&] {
      Looks looks;
      do f = opened(open_now(name.c_str(), flags & ~(O_CREAT | O_EXCL)));
      while ((f.error == ENXIO || f.error == EAGAIN) && wait(interrupt, -1, 0, looks.next_ms()));
    };
    lives = off_scheduler(p, look, interrupt);
  }
  close_descriptor(named);
  if (lives) return f;
  if (f.fd >= 0) close_descriptor(f.fd);
  return std::nullopt;
}

}  // namespace

bool wait_until_ready(Process& p, int fd, short events) {
  Interrupt interrupt;
  return off_scheduler(p, [&] { wait(interrupt, fd, events); }, interrupt);
}

bool is_long_to_free(const char* path) {
  struct stat s;
  return system_call([&] { return lstat(path, &s); }, {{&s, sizeof s}}) == 0 &&
         S_ISREG(s.st_mode) && s.st_nlink == 1 && s.st_size >= off_t{kLongTransfer};
}

std::optional<OpenFile> open_file(Process& p, const char* path, int flags) {
  OpenFile f{-1, 0, 0, 0};
  auto open_it = [&] { f = opened(open_now(path, flags)); };
  if (!(flags & O_TRUNC) || !is_long_to_free(path)) {
    open_it();
  } else if (!off_scheduler(p, open_it, DirtyKind::io)) {
    if (f.fd >= 0) close_descriptor(f.fd);
    return std::nullopt;
  }
  if (f.error == ENXIO || f.error == EAGAIN) return wait_to_open(p, path, flags, f);
  return f.fd >= 0 && lacks_writer(f, flags) ? wait_for_writer(p, f) : f;
}

}  // namespace wb
