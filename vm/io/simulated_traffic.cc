// What is under way between ends, and who hears of what came.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "scheduler/oracle.h"
#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/io/outside.h"
#include "vm/io/simulated_network.h"

namespace wb {
namespace {

constexpr uint64_t kAgainNs = 1'000'000'000;  ///< a full listener is asked again
constexpr size_t kGrownBuffer = 2 << 20;
constexpr size_t kLargestDatagram = 65507;

/// What of these goes beside a datagram: an option of the socket, unless the message says another.
struct Beside {
  int family, level, type, wanted;
};
constexpr Beside kBeside[] = {{AF_INET, IPPROTO_IP, IP_TOS, IP_RECVTOS},
                              {AF_INET, IPPROTO_IP, IP_TTL, IP_RECVTTL},
                              {AF_INET6, IPPROTO_IPV6, IPV6_TCLASS, IPV6_RECVTCLASS}};

std::vector<int> beside_of(int fd, const msghdr& message) {
  std::vector<int> values;
  auto& m = const_cast<msghdr&>(message);
  for (const Beside& b : kBeside) {
    int value = SimulatedNetwork::option(fd, b.level, b.type);
    for (cmsghdr* c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
      if (c->cmsg_level == b.level && c->cmsg_type == b.type)
        memcpy(&value, CMSG_DATA(c), std::min<size_t>(c->cmsg_len - CMSG_LEN(0), sizeof value));
    }
    values.push_back(value);
  }
  return values;
}
/// Those that the socket wants to have, into the message's room of `size` bytes.
void put_beside(const std::vector<int>& values, int fd, int family, size_t size, msghdr* m) {
  for (size_t k = 0; k < values.size(); ++k) {
    const Beside& b = kBeside[k];
    const size_t used = m->msg_controllen;
    if (b.family != family || !SimulatedNetwork::option(fd, b.level, b.wanted)) continue;
    if (used + CMSG_SPACE(sizeof(int)) > size) return void(m->msg_flags |= MSG_CTRUNC);
    auto* c = reinterpret_cast<cmsghdr*>(static_cast<char*>(m->msg_control) + used);
    c->cmsg_level = b.level, c->cmsg_type = b.type, c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &values[k], sizeof(int));
    m->msg_controllen += CMSG_SPACE(sizeof(int));
  }
}

size_t size_of(const iovec* parts, size_t count) {
  size_t n = 0;
  for (size_t k = 0; k < count; ++k) n += parts[k].iov_len;
  return n;
}
std::string gather(const msghdr& m, size_t most) {
  std::string bytes;
  for (size_t k = 0; k < m.msg_iovlen && bytes.size() < most; ++k) {
    const iovec& part = m.msg_iov[k];
    bytes.append(static_cast<const char*>(part.iov_base),
                 std::min(part.iov_len, most - bytes.size()));
  }
  return bytes;
}
size_t scatter(std::string_view bytes, const iovec* parts, size_t count) {
  size_t done = 0;
  for (size_t k = 0; k < count && done < bytes.size(); ++k) {
    const size_t n = std::min(parts[k].iov_len, bytes.size() - done);
    memcpy(parts[k].iov_base, bytes.data() + done, n);
    done += n;
  }
  return done;
}

}  // namespace

// --- on the way ----------------------------------------------------------------------------------
void SimulatedNetwork::start(Alarm& alarm, const End& e, uint64_t deadline_ns, Timer::Fire fire) {
  if (std::exchange(alarm.running, true)) return;
  vm_.scheduler->start_timer(alarm, deadline_ns, fire);
}

void SimulatedNetwork::put(End& to, Packet packet, uint64_t latency_ns) {
  packet.due_ns = vm_.oracle->now_ns() + latency_ns;
  if (!to.wire.empty()) packet.due_ns = std::max(packet.due_ns, to.wire.back().due_ns);
  to.wire.push_back(std::move(packet));
  start(to.arrival, to, to.wire.front().due_ns, on_arrival);
}

void SimulatedNetwork::on_arrival(Worker& w, Timer& timer) {
  auto& alarm = static_cast<Alarm&>(timer);
  SimulatedNetwork& network = *alarm.network;
  const EndId id = alarm.end;
  alarm.running = false;
  const uint64_t now = network.vm_.oracle->now_ns();
  while (End* e = network.find(id)) {
    if (e->wire.empty()) return;
    if (e->wire.front().due_ns > now)
      return network.start(e->arrival, *e, e->wire.front().due_ns, on_arrival);
    Packet packet = std::move(e->wire.front());
    e->wire.pop_front();
    network.apply(w, id, std::move(packet));
  }
}

void SimulatedNetwork::apply(Worker& w, EndId id, Packet packet) {
  End& e = *find(id);
  switch (packet.kind) {
    case Packet::Kind::bytes:
      if (e.reads_no_more || e.state != State::connected) break;
      e.in += packet.bytes;
      break;
    case Packet::Kind::datagram:
      e.datagrams.push_back(std::move(packet));
      break;
    case Packet::Kind::end:
      e.input_ended = true;
      break;
    case Packet::Kind::reset:
      break_off(e, ECONNRESET);
      break;
    case Packet::Kind::refused:
      e.error = ECONNREFUSED;
      break;
    case Packet::Kind::handshake:
      return shake_hands(w, e);
  }
  report(w, e);
}

void SimulatedNetwork::shake_hands(Worker& w, End& client) {
  if (client.state != State::connecting) return;
  End* listener = receiver(client, client.there);
  if (listener && listener->accepts.size() >= listener->backlog)
    return put(client, {.kind = Packet::Kind::handshake}, kAgainNs);
  const EndId id = client.id;
  if (listener) {
    report(w, *open_connection(client));
  } else {
    client.state = State::open, client.error = ECONNREFUSED;
  }
  if (End* still = find(id)) report(w, *still);
}

/// Nothing comes or goes any more; what has come can be read.
void SimulatedNetwork::break_off(End& e, int error) {
  if (e.state != State::connected) return;
  e.state = State::broken, e.error = error;
  e.input_ended = e.sends_no_more = true;
  e.wire.clear();
}

int SimulatedNetwork::take_error(End& e) { return std::exchange(e.error, 0); }
int SimulatedNetwork::error(int fd) {
  End* e = at(fd);
  return e ? take_error(*e) : EBADF;
}

// --- reports -------------------------------------------------------------------------------------
uint32_t SimulatedNetwork::ready(End& e) {
  uint32_t events = e.error ? EPOLLERR : 0u;
  if (e.state == State::listening) return events | (e.accepts.empty() ? 0u : EPOLLIN);
  const bool input = e.in.size() > e.in_done || !e.datagrams.empty();
  if (input || e.input_ended || e.reads_no_more) events |= EPOLLIN;
  if (!e.stream) return events | EPOLLOUT;
  if (e.state == State::open || e.state == State::broken) return events | EPOLLOUT | EPOLLHUP;
  if (e.input_ended && e.sends_no_more) events |= EPOLLHUP;
  End* other = e.state == State::connected ? find(e.other) : nullptr;
  if (e.state == State::connected && (!other || !other->sender_waits)) events |= EPOLLOUT;
  return events;
}

/// Whoever watches it may close it, or others.
void SimulatedNetwork::report(Worker& w, End& e) {
  const uint32_t events = ready(e) & (e.armed | EPOLLERR | EPOLLHUP);
  if (!e.armed || !events) return;
  e.armed = 0;
  e.watched_by->ready(w, *e.watched_by, events);
}
void SimulatedNetwork::on_report(Worker& w, Timer& timer) {
  auto& alarm = static_cast<Alarm&>(timer);
  alarm.running = false;
  if (End* e = alarm.network->find(alarm.end)) alarm.network->report(w, *e);
}
void SimulatedNetwork::report_soon(End& e) {
  if (e.armed && ready(e) & (e.armed | EPOLLERR | EPOLLHUP))
    start(e.report, e, vm_.oracle->now_ns(), on_report);
}

int SimulatedNetwork::watch(FdWatch& watch, uint32_t events) {
  End* e = at(watch.fd);
  if (!e) return EBADF;
  e->watched_by = &watch, e->armed = events;
  report_soon(*e);
  return 0;
}
void SimulatedNetwork::unwatch(FdWatch& watch) {
  End* e = at(watch.fd);
  if (!e || e->watched_by != &watch) return;
  e->watched_by = nullptr, e->armed = 0;
}

// --- sending -------------------------------------------------------------------------------------
size_t SimulatedNetwork::room(const End& from, const End& to) const {
  const size_t most = buffer_size(from, SO_SNDBUF) + buffer_size(to, SO_RCVBUF);
  return most - std::min(most, to.unread);
}
/// The system makes those of connections larger when they are needed, unless somebody has set them.
size_t SimulatedNetwork::buffer_size(const End& e, int which) {
  if (e.fd < 0) return kGrownBuffer;
  const int value = option(e.fd, SOL_SOCKET, which);
  const bool is_usual = value == (which == SO_SNDBUF ? e.usual_send : e.usual_receive);
  return e.stream && is_usual ? kGrownBuffer : static_cast<size_t>(value);
}

ssize_t SimulatedNetwork::send(int fd, const void* bytes, size_t size, int flags) {
  iovec part{const_cast<void*>(bytes), size};
  msghdr m = {};
  m.msg_iov = &part, m.msg_iovlen = 1;
  return send(fd, m, flags);
}
ssize_t SimulatedNetwork::send(int fd, const msghdr& m, int flags) {
  End* e = at(fd);
  if (!e) return -1;
  if (flags & MSG_OOB) return fail(EOPNOTSUPP);
  const size_t size = size_of(m.msg_iov, m.msg_iovlen);
  return e->stream ? send_bytes(*e, m, size) : send_datagram(*e, m, size);
}

ssize_t SimulatedNetwork::send_bytes(End& e, const msghdr& m, size_t size) {
  if (int error = take_error(e)) return fail(error);
  if (e.state == State::connecting) return fail(EAGAIN);
  if (e.state != State::connected || e.sends_no_more) return fail(EPIPE);
  End* other = find(e.other);
  uint64_t latency = kLatencyNs;
  if (Outside* outside = outside_of(vm_)) {
    const auto fault = outside->strikes("send", e.label, {Fault::reset, Fault::slow_network});
    if (fault == Fault::reset) {
      if (other) put(*other, {.kind = Packet::Kind::reset});
      break_off(e, 0);
      return fail(ECONNRESET);
    }
    if (fault == Fault::slow_network) latency = kLateNs;
  }
  if (!other) {
    if (e.is_local()) return fail(EPIPE);
    put(e, {.kind = Packet::Kind::reset}, 2 * latency);
    return static_cast<ssize_t>(size);
  }
  const size_t n = std::min(size, room(e, *other));
  if (n < size) other->sender_waits = true;
  if (n == 0 && size != 0) return fail(EAGAIN);
  other->unread += n;
  if (n) put(*other, {.bytes = gather(m, n)}, latency);
  return static_cast<ssize_t>(n);
}

ssize_t SimulatedNetwork::send_datagram(End& e, const msghdr& m, size_t size) {
  const bool local = e.is_local();
  if (int error = take_error(e)) return fail(error);
  SocketAddress to = e.there;
  if (m.msg_name && m.msg_namelen)
    to = SocketAddress(static_cast<const sockaddr*>(m.msg_name), m.msg_namelen);
  else if (e.state != State::connected)
    return fail(EDESTADDRREQ);
  if (to.family() != e.family) return fail(local ? EINVAL : EAFNOSUPPORT);
  if (size > (local ? buffer_size(e, SO_SNDBUF) : kLargestDatagram)) return fail(EMSGSIZE);
  if (!local && !is_here(to)) return fail(ENETUNREACH);
  if (!local && !to.port()) return fail(EINVAL);
  bind_to_any(e, to);
  if (to.is_any()) {
    const uint16_t port = to.port();
    to = e.here;
    to.set_port(port);
  }
  Packet packet{.kind = Packet::Kind::datagram, .bytes = gather(m, size), .from = e.here};
  if (!local) packet.beside = beside_of(e.fd, m);
  uint64_t latency = kLatencyNs;
  if (Outside* outside = local ? nullptr : outside_of(vm_)) {
    const auto fault = outside->strikes("send", e.here.text() + ">" + to.text(),
                                        {Fault::lost_datagram, Fault::slow_network});
    if (fault == Fault::lost_datagram) return static_cast<ssize_t>(size);
    if (fault == Fault::slow_network) latency = kLateNs;
  }
  End* other = receiver(e, to);
  if (!other) {
    if (local) return fail(to.is_gone() ? ENOENT : ECONNREFUSED);
    if (e.state == State::connected) put(e, {.kind = Packet::Kind::refused}, 2 * latency);
    return static_cast<ssize_t>(size);
  }
  if (room(e, *other) < size) {
    if (local) return fail(EAGAIN);
    return static_cast<ssize_t>(size);  // lost
  }
  if (!local) packet.from = e.here.as(other->family);
  other->unread += size;
  put(*other, std::move(packet), latency);
  return static_cast<ssize_t>(size);
}

ssize_t SimulatedNetwork::send_file(int fd, int file, off_t* at, size_t size) {
  constexpr size_t kPiece = 64 * 1024;
  std::string bytes(std::min(size, kPiece), 0);
  const ssize_t have = pread(file, bytes.data(), bytes.size(), *at);
  if (have <= 0) return have;
  const ssize_t n = send(fd, bytes.data(), static_cast<size_t>(have), 0);
  if (n > 0) *at += n;
  return n;
}

int SimulatedNetwork::shutdown(int fd, int how) {
  End* e = this->at(fd);
  if (!e) return -1;
  if (e->state == State::listening && how != SHUT_WR) {
    e->state = State::open;
    report_soon(*e);
    return 0;
  }
  if (e->state != State::connected || (e->input_ended && e->sends_no_more)) return fail(ENOTCONN);
  End* other = e->stream ? find(e->other) : nullptr;
  if (how != SHUT_RD && !std::exchange(e->sends_no_more, true) && other)
    put(*other, {.kind = Packet::Kind::end});
  if (how != SHUT_WR) e->reads_no_more = true;
  report_soon(*e);
  return 0;
}

// --- receiving -----------------------------------------------------------------------------------
ssize_t SimulatedNetwork::receive(int fd, void* bytes, size_t size, int flags) {
  iovec part{bytes, size};
  msghdr m = {};
  m.msg_iov = &part, m.msg_iovlen = 1;
  return receive(fd, &m, flags);
}
ssize_t SimulatedNetwork::receive(int fd, msghdr* m, int flags) {
  End* e = at(fd);
  if (!e) return -1;
  m->msg_flags = 0;
  if (flags & MSG_OOB) return fail(EINVAL);
  if (!e->stream) return receive_datagram(*e, m, flags);
  m->msg_controllen = 0;
  m->msg_namelen = 0;
  return receive_bytes(*e, m->msg_iov, m->msg_iovlen, flags);
}

ssize_t SimulatedNetwork::receive_bytes(End& e, const iovec* parts, size_t count, int flags) {
  size_t have = e.in.size() - e.in_done;
  if (have == 0) {
    if (int error = take_error(e)) return fail(error);
    if (e.input_ended || e.reads_no_more) return 0;
    return fail(e.state == State::connected || e.state == State::connecting ? EAGAIN : ENOTCONN);
  }
  if (Outside* outside = outside_of(vm_)) {
    const auto fault = outside->strikes("receive", e.label, {Fault::reset, Fault::slow_read});
    if (fault == Fault::slow_read) have = (have + 1) / 2;
    if (fault == Fault::reset) {
      if (End* other = find(e.other)) put(*other, {.kind = Packet::Kind::reset});
      break_off(e, 0);
      e.in.clear(), e.in_done = 0;
      return fail(ECONNRESET);
    }
  }
  const size_t n = scatter(std::string_view(e.in).substr(e.in_done, have), parts, count);
  if (flags & MSG_PEEK) return static_cast<ssize_t>(n);
  e.in_done += n, e.unread -= std::min(e.unread, n);
  if (e.in_done == e.in.size()) {
    e.in.clear(), e.in_done = 0;
  } else if (e.in_done > e.in.size() / 2) {
    e.in.erase(0, std::exchange(e.in_done, 0));
  }
  if (End* other = e.sender_waits ? find(e.other) : nullptr) {
    if (room(*other, e) >= buffer_size(*other, SO_SNDBUF) / 2) {
      e.sender_waits = false;
      report_soon(*other);
    }
  }
  return static_cast<ssize_t>(n);
}

ssize_t SimulatedNetwork::receive_datagram(End& e, msghdr* m, int flags) {
  if (e.datagrams.empty()) {
    if (int error = take_error(e)) return fail(error);
    return e.reads_no_more ? 0 : fail(EAGAIN);
  }
  const Packet& packet = e.datagrams.front();
  const size_t room_beside = std::exchange(m->msg_controllen, 0);
  if (m->msg_control) put_beside(packet.beside, e.fd, e.family, room_beside, m);
  const size_t n = scatter(packet.bytes, m->msg_iov, m->msg_iovlen);
  if (n < packet.bytes.size()) m->msg_flags |= MSG_TRUNC;
  const size_t size = flags & MSG_TRUNC ? packet.bytes.size() : n;
  if (m->msg_name) {
    memcpy(m->msg_name, &packet.from.any, std::min(m->msg_namelen, packet.from.size));
    m->msg_namelen = packet.from.size;
  }
  if (!(flags & MSG_PEEK)) {
    e.unread -= std::min(e.unread, packet.bytes.size());
    e.datagrams.pop_front();
  }
  return static_cast<ssize_t>(size);
}

}  // namespace wb
