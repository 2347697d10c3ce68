// Ends, their names, and how they find each other.
#include "vm/io/simulated_network.h"

#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/io/outside.h"

namespace wb {

int SimulatedNetwork::fail(int error) {
  errno = error;
  return -1;
}
int SimulatedNetwork::option(int fd, int level, int which) {
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(fd, level, which, &value, &size);
  return value;
}

// --- addresses -----------------------------------------------------------------------------------
/// errno; 0: it is one that this end can have or reach.
int SimulatedNetwork::wrong_family(const End& e, const SocketAddress& a) const {
  if (a.size < SocketAddress::none(e.family).size) return EINVAL;
  return a.family() == e.family ? 0 : EAFNOSUPPORT;
}

bool SimulatedNetwork::is_here(const SocketAddress& address) {
  const SocketAddress four = address.as(AF_INET);
  if (four.is_any()) return true;
  if (four.family() == AF_INET6)
    if (IN6_IS_ADDR_LOOPBACK(&four.in6.sin6_addr)) return true;
  if (four.family() == AF_INET)
    if (ntohl(four.in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) return true;
  ifaddrs* all = nullptr;
  if (!std::exchange(knows_interfaces_, true) && getifaddrs(&all) == 0) {
    for (ifaddrs* i = all; i; i = i->ifa_next) {
      if (!i->ifa_addr) continue;
      const SocketAddress none = SocketAddress::none(i->ifa_addr->sa_family);
      if (none.has_port()) interfaces_.emplace_back(i->ifa_addr, none.size);
    }
    freeifaddrs(all);
  }
  SocketAddress host = four;
  host.set_port(0);
  return std::ranges::find(interfaces_, host) != interfaces_.end();
}

/// Would what is sent there come to this end?
bool SimulatedNetwork::takes(const End& e, const SocketAddress& to) const {
  if (e.is_local()) return !e.here.path().empty() && e.here == to;
  if (!to.has_port()) return false;
  if (!e.here.port() || e.here.port() != to.port()) return false;
  const SocketAddress here = e.here.as(AF_INET), there = to.as(AF_INET);
  if (!here.is_any()) return here == there;
  if (e.family == there.family()) return true;
  return e.family == AF_INET6 && (e.fd < 0 || !option(e.fd, IPPROTO_IPV6, IPV6_V6ONLY));
}

/// The listening end, or the one for datagrams, of an address; null: there is none.
SimulatedNetwork::End* SimulatedNetwork::receiver(const End& from, const SocketAddress& to) {
  End* found = nullptr;
  for (auto& [id, e] : ends_) {
    if (e->stream != from.stream || (e->stream && e->state != State::listening)) continue;
    if (!takes(*e, to)) continue;
    const bool only_others =
        e->state == State::connected && e->there.as(AF_INET) != from.here.as(AF_INET);
    if (only_others) continue;
    if (!found || e->state == State::connected || !e->here.is_any()) found = e.get();
  }
  return found;
}

bool SimulatedNetwork::is_taken(const End& by, const SocketAddress& a) {
  for (auto& [id, e] : ends_) {
    if (e.get() == &by || e->stream != by.stream || e->fd < 0) continue;
    if (!e->here.port() || e->here.port() != a.port()) continue;
    const SocketAddress here = e->here.as(AF_INET), there = a.as(AF_INET);
    const bool both =
        here == there || (here.family() == there.family() && (here.is_any() || there.is_any()));
    if (!both) continue;
    auto have = [&](int what) {
      return option(by.fd, SOL_SOCKET, what) && option(e->fd, SOL_SOCKET, what);
    };
    const bool shared =
        have(SO_REUSEPORT) || (have(SO_REUSEADDR) && (!by.stream || e->state != State::listening));
    if (!shared) return true;
  }
  return false;
}

uint16_t SimulatedNetwork::free_port(const End& by, SocketAddress at) {
  do {
    if (next_port_ == 0) next_port_ = kFirstPort;
    at.set_port(next_port_++);
  } while (is_taken(by, at));
  return at.port();
}

/// Who has no name and reaches somebody gets one.
void SimulatedNetwork::bind_to_any(End& e, const SocketAddress& to) {
  if (e.is_local()) return;
  if (e.here.port() && !e.here.is_any()) return;
  const uint16_t port = e.here.port();
  if (e.stream || !to.is_any()) {
    const SocketAddress near = to.as(AF_INET);
    e.here = near;
    if (near.family() == AF_INET) {
      in_addr_t& host = e.here.in.sin_addr.s_addr;
      if (near.is_any() || ntohl(host) >> 24 == IN_LOOPBACKNET) host = htonl(INADDR_LOOPBACK);
    }
    if (near.family() == AF_INET6 && near.is_any()) e.here.in6.sin6_addr = in6addr_loopback;
    e.here = e.here.as(e.family);
  }
  e.here.set_port(port ? port : free_port(e, e.here));
}

int SimulatedNetwork::copy_name(const SocketAddress& a, sockaddr* to, socklen_t* size) {
  memcpy(to, &a.any, std::min(*size, a.size));
  *size = a.size;
  return 0;
}

// --- ends ----------------------------------------------------------------------------------------
SimulatedNetwork::~SimulatedNetwork() {
  while (!ends_.empty()) {
    End& e = *ends_.begin()->second;
    if (e.fd >= 0) ::close(e.fd);
    remove(e);
  }
}

SimulatedNetwork::End* SimulatedNetwork::find(EndId id) {
  auto found = ends_.find(id);
  return found == ends_.end() ? nullptr : found->second.get();
}
SimulatedNetwork::End* SimulatedNetwork::at(int fd) {
  auto found = by_fd_.find(fd);
  if (found == by_fd_.end()) return errno = EBADF, nullptr;
  return find(found->second);
}

SimulatedNetwork::End& SimulatedNetwork::make(int family, bool stream) {
  auto e = std::make_unique<End>();
  e->id = ++last_id_, e->family = family, e->stream = stream;
  e->here = e->there = SocketAddress::none(family);
  for (Alarm* a : {&e->arrival, &e->report}) a->network = this, a->end = e->id;
  return *(ends_[e->id] = std::move(e));
}

void SimulatedNetwork::remove(End& e) {
  vm_.scheduler->cancel_timer(e.arrival), vm_.scheduler->cancel_timer(e.report);
  if (e.fd >= 0) by_fd_.erase(e.fd);
  ends_.erase(e.id);
}

void SimulatedNetwork::adopt(int fd) {
  if (by_fd_.contains(fd)) return;
  End& e = make(option(fd, SOL_SOCKET, SO_DOMAIN), option(fd, SOL_SOCKET, SO_TYPE) == SOCK_STREAM);
  own(e, fd);
}
void SimulatedNetwork::own(End& e, int fd) {
  e.fd = fd;
  e.usual_send = option(fd, SOL_SOCKET, SO_SNDBUF);
  e.usual_receive = option(fd, SOL_SOCKET, SO_RCVBUF);
  by_fd_[fd] = e.id;
}

int SimulatedNetwork::close(int fd) {
  End* e = at(fd);
  if (!e) return -1;
  for (EndId id : e->accepts) {
    End* waiting = find(id);
    if (!waiting) continue;
    if (End* client = find(waiting->other)) put(*client, {.kind = Packet::Kind::reset});
    remove(*waiting);
  }
  End* other = e->state == State::connected && e->stream ? find(e->other) : nullptr;
  if (other) {
    linger l = {};
    socklen_t size = sizeof l;
    getsockopt(fd, SOL_SOCKET, SO_LINGER, &l, &size);
    const bool at_once = l.l_onoff && l.l_linger == 0;
    if (at_once || e->unread)
      put(*other, {.kind = Packet::Kind::reset});
    else if (!e->sends_no_more)
      put(*other, {.kind = Packet::Kind::end});
  }
  remove(*e);
  return ::close(fd);
}

int SimulatedNetwork::bind(int fd, const sockaddr* address, socklen_t size) {
  End* e = at(fd);
  if (!e) return -1;
  SocketAddress to(address, size);
  if (e->is_local()) {  // the file is the system's
    if (::bind(fd, address, size) != 0) return -1;
    e->here = SocketAddress();
    return getsockname(fd, &e->here.any, &e->here.size);
  }
  if (int error = wrong_family(*e, to)) return fail(error);
  if (e->here.port()) return fail(EINVAL);
  if (!is_here(to) && !to.is_for_many()) return fail(EADDRNOTAVAIL);
  if (e->family == AF_INET6) to.in6.sin6_flowinfo = 0;
  if (to.port() && is_taken(*e, to)) return fail(EADDRINUSE);
  if (!to.port()) to.set_port(free_port(*e, to));
  e->here = to;
  return 0;
}

int SimulatedNetwork::listen(int fd, int backlog) {
  End* e = at(fd);
  if (!e) return -1;
  if (!e->stream) return fail(EOPNOTSUPP);
  if (e->state != State::open && e->state != State::listening) return fail(EINVAL);
  if (e->is_local()) {
    if (e->here.path().empty()) return fail(EINVAL);
  } else if (!e->here.port()) {
    e->here.set_port(free_port(*e, e->here));
  } else if (e->state == State::open) {
    for (auto& [id, o] : ends_) {
      if (o.get() != e && o->state == State::listening && o->here == e->here &&
          !option(fd, SOL_SOCKET, SO_REUSEPORT))
        return fail(EADDRINUSE);
    }
  }
  e->state = State::listening;
  e->backlog = static_cast<size_t>(std::max(backlog, 0)) + 1;
  return 0;
}

/// What an accepted socket has of its listener.
static void copy_options(int from, int to) {
  constexpr struct {
    int level, option;
  } kOptions[] = {{SOL_SOCKET, SO_REUSEADDR}, {SOL_SOCKET, SO_KEEPALIVE}, {SOL_SOCKET, SO_PRIORITY},
                  {SOL_SOCKET, SO_DONTROUTE}, {IPPROTO_TCP, TCP_NODELAY}, {IPPROTO_IP, IP_TOS},
                  {IPPROTO_IP, IP_TTL},       {IPPROTO_IPV6, IPV6_V6ONLY}};
  for (auto [level, which] : kOptions) {
    const int value = SimulatedNetwork::option(from, level, which);
    setsockopt(to, level, which, &value, sizeof value);
  }
  for (int which : {SO_SNDBUF, SO_RCVBUF}) {
    const int value =
        SimulatedNetwork::option(from, SOL_SOCKET, which) / 2;  // the system doubles it
    if (value * 2 != SimulatedNetwork::option(to, SOL_SOCKET, which))
      setsockopt(to, SOL_SOCKET, which, &value, 4);
  }
  linger l = {};
  socklen_t size = sizeof l;
  if (getsockopt(from, SOL_SOCKET, SO_LINGER, &l, &size) == 0)
    setsockopt(to, SOL_SOCKET, SO_LINGER, &l, size);
}

int SimulatedNetwork::accept(int fd) {
  End* e = at(fd);
  if (!e) return -1;
  if (!e->stream) return fail(EOPNOTSUPP);
  if (e->state != State::listening) return fail(EINVAL);
  while (!e->accepts.empty()) {
    End* made = find(e->accepts.front());
    if (!made) {
      e->accepts.pop_front();
      continue;
    }
    const int descriptor = ::socket(e->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    e->accepts.pop_front();
    own(*made, descriptor);
    copy_options(fd, descriptor);
    return descriptor;
  }
  return fail(EAGAIN);
}

// --- connecting ----------------------------------------------------------------------------------
int SimulatedNetwork::connect(int fd, const sockaddr* address, socklen_t size) {
  End* e = at(fd);
  if (!e) return -1;
  const SocketAddress to(address, size);
  return e->stream ? connect_stream(*e, to) : connect_datagrams(*e, to);
}

/// The other end of a connection that its listener has accepted, or null: nobody listens there.
SimulatedNetwork::End* SimulatedNetwork::open_connection(End& client) {
  End* listener = receiver(client, client.there);
  if (!listener) return nullptr;
  End& server = make(listener->family, true);
  const bool local = listener->is_local();
  server.here = local ? listener->here : client.there.as(listener->family);
  if (server.here.is_any()) {
    const uint16_t port = server.here.port();
    server.here = client.here.as(listener->family);
    server.here.set_port(port);
  }
  server.there = local ? client.here : client.here.as(listener->family);
  server.other = client.id, client.other = server.id;
  server.state = client.state = State::connected;
  server.label = client.label;
  listener->accepts.push_back(server.id);
  return listener;
}

int SimulatedNetwork::connect_stream(End& e, const SocketAddress& to) {
  if (std::exchange(e.asks_again, false) && e.state == State::connected) return 0;
  if (e.state == State::connected || e.state == State::listening) return fail(EISCONN);
  if (e.state == State::connecting) return fail(EALREADY);
  if (int error = take_error(e)) return fail(error);
  if (int error = wrong_family(e, to)) return fail(error);
  if (!e.is_local() && !is_here(to)) return fail(ENETUNREACH);
  e.there = to, e.state = State::open;
  bind_to_any(e, to);
  if (e.there.is_any()) {
    e.there = e.here;
    e.there.set_port(to.port());
  }
  e.label = e.here.text() + ">" + e.there.text();
  if (Outside* outside = outside_of(vm_)) {
    if (outside->strikes("connect", e.there.text(), {Fault::refused})) return fail(ECONNREFUSED);
  }
  if (!e.is_local()) {
    e.state = State::connecting, e.asks_again = true;
    put(e, {.kind = Packet::Kind::handshake});
    return fail(EINPROGRESS);
  }
  End* listener = receiver(e, to);
  if (to.is_gone()) return fail(ENOENT);
  if (!listener) return fail(ECONNREFUSED);
  if (listener->accepts.size() >= listener->backlog) return fail(EAGAIN);
  report_soon(*open_connection(e));
  return 0;
}

int SimulatedNetwork::connect_datagrams(End& e, const SocketAddress& to) {
  if (to.family() == AF_UNSPEC) {
    e.state = State::open;
    e.there = SocketAddress::none(e.family);
    return 0;
  }
  if (int error = wrong_family(e, to)) return fail(error);
  if (!e.is_local() && !is_here(to)) return fail(ENETUNREACH);
  if (to.is_gone()) return fail(ENOENT);
  if (e.is_local() && !receiver(e, to)) return fail(ECONNREFUSED);
  e.there = to, e.state = State::connected;
  bind_to_any(e, to);
  return 0;
}

int SimulatedNetwork::name(int fd, sockaddr* address, socklen_t* size) {
  End* e = at(fd);
  return e ? copy_name(e->here, address, size) : -1;
}
int SimulatedNetwork::peer(int fd, sockaddr* address, socklen_t* size) {
  End* e = at(fd);
  if (!e) return -1;
  if (e->state != State::connected) return fail(ENOTCONN);
  return copy_name(e->there, address, size);
}

}  // namespace wb
