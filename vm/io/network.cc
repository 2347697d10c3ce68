#include "vm/io/network.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/recording.h"
#include "scheduler/oracle.h"
#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/io/simulated_network.h"

namespace wb {
namespace {

class SystemNetwork final : public Network {
 public:
  explicit SystemNetwork(Scheduler& scheduler) : scheduler_(scheduler) {}

  int close(int fd) override { return close_descriptor(fd); }
  int bind(int fd, const sockaddr* a, socklen_t n) override {
    return done([=] { return ::bind(fd, a, n); });
  }
  int listen(int fd, int backlog) override {
    return done([=] { return ::listen(fd, backlog); });
  }
  int accept(int fd) override {
    return done([=] { return ::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  }
  int connect(int fd, const sockaddr* a, socklen_t n) override {
    return done([=] { return ::connect(fd, a, n); });
  }
  int shutdown(int fd, int how) override {
    return done([=] { return ::shutdown(fd, how); });
  }
  int name(int fd, sockaddr* a, socklen_t* n) override {
    return done([=] { return ::getsockname(fd, a, n); }, {{a, *n}, {n, sizeof *n}});
  }
  int peer(int fd, sockaddr* a, socklen_t* n) override {
    return done([=] { return ::getpeername(fd, a, n); }, {{a, *n}, {n, sizeof *n}});
  }
  int error(int fd) override {
    int error = 0;
    socklen_t size = sizeof error;
    return ask_option(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }

  ssize_t receive(int fd, void* bytes, size_t size, int flags) override {
    // With MSG_TRUNC it may say more than there is room for.
    if (flags & MSG_TRUNC)
      return system_call([=] { return ::recv(fd, bytes, size, flags); }, {{bytes, size}});
    return reading_call([=] { return ::recv(fd, bytes, size, flags); }, bytes, size);
  }
  ssize_t receive(int fd, msghdr* m, int flags) override {
    if (Recording* r = recording_here(); WB_UNLIKELY(r != nullptr))
      return receive_recorded(*r, fd, m, flags);
    return ::recvmsg(fd, m, flags);
  }
  ssize_t send(int fd, const void* bytes, size_t size, int flags) override {
    return system_call([=] { return ::send(fd, bytes, size, flags); });
  }
  ssize_t send(int fd, const msghdr& m, int flags) override {
    return system_call([&] { return ::sendmsg(fd, &m, flags); });
  }
  ssize_t send_file(int fd, int file, off_t* at, size_t size) override {
    return system_call([=] { return ::sendfile(fd, file, at, size); }, {{at, sizeof *at}});
  }

  int watch(FdWatch& w, uint32_t events) override { return scheduler_.watch_fd(w, events); }
  void unwatch(FdWatch& w) override { scheduler_.unwatch_fd(w); }
  bool wait_for_room(int fd, int milliseconds) override {
    pollfd p{fd, POLLOUT, 0};
    return system_call([&] { return poll(&p, 1, milliseconds); }) != 0;
  }

 private:
  template <class F>
  static int done(F call, std::initializer_list<Recording::Written> written = {}) {
    return static_cast<int>(system_call(call, written));
  }
  static ssize_t receive_recorded(Recording& r, int fd, msghdr* m, int flags) {
    const size_t room = m->msg_controllen;
    const ssize_t n = r.call([=] { return ::recvmsg(fd, m, flags); },
                             {{m->msg_name, m->msg_namelen},
                              {m->msg_control, m->msg_controllen},
                              {&m->msg_namelen, sizeof m->msg_namelen},
                              {&m->msg_controllen, sizeof m->msg_controllen},
                              {&m->msg_flags, sizeof m->msg_flags}});
    m->msg_controllen = std::min(m->msg_controllen, room);
    size_t left = n > 0 ? static_cast<size_t>(n) : 0;
    for (size_t k = 0; k < m->msg_iovlen && left > 0; ++k) {
      const size_t part = std::min(left, m->msg_iov[k].iov_len);
      r.transfer(m->msg_iov[k].iov_base, part);
      left -= part;
    }
    return n;
  }

  Scheduler& scheduler_;
};

}  // namespace

int Network::open(int family, int type, int protocol) {
  const auto fd = static_cast<int>(
      system_call([=] { return ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol); }));
  if (fd >= 0) adopt(fd);
  return fd;
}

int ask_option(int fd, int level, int option, void* value, socklen_t* size) {
  return static_cast<int>(system_call([=] { return ::getsockopt(fd, level, option, value, size); },
                                      {{value, *size}, {size, sizeof *size}}));
}
int set_option(int fd, int level, int option, const void* value, socklen_t size) {
  return static_cast<int>(
      system_call([=] { return ::setsockopt(fd, level, option, value, size); }));
}
int ask_device(int fd, unsigned long what, void* value, size_t size) {
  return static_cast<int>(system_call([=] { return ioctl(fd, what, value); }, {{value, size}}));
}
int change_flags(int fd, int set, int clear) {
  return static_cast<int>(system_call([=] {
    const int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? flags : fcntl(fd, F_SETFL, (flags | set) & ~clear);
  }));
}
int duplicate(int fd, int from) {
  return static_cast<int>(system_call([=] { return fcntl(fd, F_DUPFD_CLOEXEC, from); }));
}

std::unique_ptr<Network> Network::of(Vm& vm) {
  if (vm.oracle->has_virtual_time()) return std::make_unique<SimulatedNetwork>(vm);
  return std::make_unique<SystemNetwork>(*vm.scheduler);
}

}  // namespace wb
