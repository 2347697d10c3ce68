// What sockets ask of the system: the calls by which one socket reaches another.
//
// Two twins. The live one makes the system's calls. The other is the network of a seeded run
// (simulated_network.h): connections in memory, whose bytes arrive by timers of virtual time.
// Descriptors are the system's in both, so options are set and asked at the descriptor itself; all
// but SO_ERROR, which is error().
//
// Each function is as the system call of that name: -1, and what it was in errno. Nothing waits.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "scheduler/io_poller.h"

namespace wb {

class Scheduler;
class Vm;

class Network {
 public:
  virtual ~Network() = default;
  /// Of a machine: in virtual time if that has it.
  static std::unique_ptr<Network> of(Vm& vm);

  /// As socket(): one that does not block, closed on exec.
  int open(int family, int type, int protocol);
  /// A descriptor that somebody else has opened, in whatever way, will be used. More than once:
  /// nothing.
  virtual void adopt(int fd) {}
  virtual int close(int fd) = 0;
  virtual int bind(int fd, const sockaddr* address, socklen_t size) = 0;
  virtual int listen(int fd, int backlog) = 0;
  virtual int accept(int fd) = 0;  ///< a descriptor that does not block, closed on exec
  virtual int connect(int fd, const sockaddr* address, socklen_t size) = 0;
  virtual int shutdown(int fd, int how) = 0;
  virtual int name(int fd, sockaddr* address, socklen_t* size) = 0;
  virtual int peer(int fd, sockaddr* address, socklen_t* size) = 0;
  virtual int error(int fd) = 0;  ///< SO_ERROR: errno or 0; then it is forgotten

  virtual ssize_t receive(int fd, void* bytes, size_t size, int flags) = 0;
  virtual ssize_t receive(int fd, msghdr* message, int flags) = 0;
  virtual ssize_t send(int fd, const void* bytes, size_t size, int flags) = 0;
  virtual ssize_t send(int fd, const msghdr& message, int flags) = 0;
  virtual ssize_t send_file(int fd, int file, off_t* at, size_t size) = 0;

  /// Arms `watch` for one report, as IoPoller::watch; and takes it away, as IoPoller::unwatch.
  virtual int watch(FdWatch& watch, uint32_t events) = 0;
  virtual void unwatch(FdWatch& watch) = 0;
  /// At the end of a machine: waits until bytes could be sent. False: it took too long.
  virtual bool wait_for_room(int fd, int milliseconds) = 0;
};

// --- what is done at the descriptor itself, as the system calls of those names
int ask_option(int fd, int level, int option, void* value, socklen_t* size);
int set_option(int fd, int level, int option, const void* value, socklen_t size);
/// ioctl(2), which reads and writes `value`.
int ask_device(int fd, unsigned long what, void* value, size_t size);
/// F_SETFL: `set` on, `clear` off.
int change_flags(int fd, int set, int clear = 0);
int duplicate(int fd, int from = 0);  ///< F_DUPFD_CLOEXEC: of `from` or above

}  // namespace wb
