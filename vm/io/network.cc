#include "vm/io/network.h"

#include <poll.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>

#include "scheduler/oracle.h"
#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/io/simulated_network.h"

namespace wb {
namespace {

class SystemNetwork final : public Network {
 public:
  explicit SystemNetwork(Scheduler& scheduler) : scheduler_(scheduler) {}

  int close(int fd) override { return ::close(fd); }
  int bind(int fd, const sockaddr* a, socklen_t n) override { return ::bind(fd, a, n); }
  int listen(int fd, int backlog) override { return ::listen(fd, backlog); }
  int accept(int fd) override {
    return ::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  }
  int connect(int fd, const sockaddr* a, socklen_t n) override { return ::connect(fd, a, n); }
  int shutdown(int fd, int how) override { return ::shutdown(fd, how); }
  int name(int fd, sockaddr* a, socklen_t* n) override { return ::getsockname(fd, a, n); }
  int peer(int fd, sockaddr* a, socklen_t* n) override { return ::getpeername(fd, a, n); }
  int error(int fd) override {
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }

  ssize_t receive(int fd, void* bytes, size_t size, int flags) override {
    return ::recv(fd, bytes, size, flags);
  }
  ssize_t receive(int fd, msghdr* m, int flags) override { return ::recvmsg(fd, m, flags); }
  ssize_t send(int fd, const void* bytes, size_t size, int flags) override {
    return ::send(fd, bytes, size, flags);
  }
  ssize_t send(int fd, const msghdr& m, int flags) override { return ::sendmsg(fd, &m, flags); }
  ssize_t send_file(int fd, int file, off_t* at, size_t size) override {
    return ::sendfile(fd, file, at, size);
  }

  int watch(FdWatch& w, uint32_t events) override { return scheduler_.watch_fd(w, events); }
  void unwatch(FdWatch& w) override { scheduler_.unwatch_fd(w); }
  bool wait_for_room(int fd, int milliseconds) override {
    pollfd p{fd, POLLOUT, 0};
    return poll(&p, 1, milliseconds) != 0;
  }

 private:
  Scheduler& scheduler_;
};

}  // namespace

int Network::open(int family, int type, int protocol) {
  const int fd = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (fd >= 0) adopt(fd);
  return fd;
}

std::unique_ptr<Network> Network::of(Vm& vm) {
  if (vm.oracle->simulates()) return std::make_unique<SimulatedNetwork>(vm);
  return std::make_unique<SystemNetwork>(*vm.scheduler);
}

}  // namespace wb
