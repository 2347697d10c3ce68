// Connections: connect, accept; and cancelling whatever waits.

#include <cerrno>

#include "vm/socket/address_terms.h"
#include "vm/socket/socket_bif.h"

namespace wb {

BIF(prim_socket, nif_connect, 3)
{
  if (!is_ref(a[1])) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  RawAddress address;
  if (!read_address(a[2], &address)) return invalid(p, am::sockaddr);
  if (s->connectors.any() && !s->connectors.is_current(p.id)) return error_tuple(p, am::already);
  p.charge(100);
  if (s->network().connect(s->fd(), &address.any, address.size) == 0) {
    s->done(s->connectors, p.id);
    s->write_state &= ~NativeSocket::kConnecting;
    s->write_state |= NativeSocket::kConnected;
    return am::ok;
  }
  const int failed = errno;
  if (failed != EINPROGRESS) {
    s->done(s->connectors, p.id);
    s->write_state &= ~NativeSocket::kConnecting;
    return posix_error(p.heap, failed);
  }
  s->write_state |= NativeSocket::kConnecting;
  s->wait(s->connectors, p.id, a[1]);
  return am::select;
}

/// After `select`: how has it gone?
BIF(prim_socket, nif_connect, 1)
{
  WB_OPEN_SOCKET(s, a[0]);
  if (!s->connectors.is_current(p.id)) return raise_invalid(p, am::state);
  const int failed = s->network().error(s->fd());
  s->done(s->connectors, p.id);
  s->write_state &= ~NativeSocket::kConnecting;
  if (failed) return posix_error(p.heap, failed);
  s->write_state |= NativeSocket::kConnected;
  return am::ok;
}

/// The new socket has what its listener was told. Up to OTP 26 it is the listener that is
/// `connected`.
static Term accepted(Process& p, NativeSocket& from, int fd) {
  ++from.counters.acc_success;
  auto* s = new NativeSocket(*p.vm().ports->sockets, fd, from.kind);
  (otp_release() < 27 ? &from : s)->write_state |= NativeSocket::kConnected;
  s->settings = from.settings;
  return s->ref(p.heap);
}

/// Up to OTP 26 an accept can only be cancelled by its first handle; later its owner hears of those
/// that are replaced.
static NativeSocket::Replaced replaced_handle() {
  using Replaced = NativeSocket::Replaced;
  return otp_release() < 27 ? Replaced::stays_known : Replaced::is_aborted;
}

BIF(prim_socket, nif_accept, 2)
{
  NativeSocket* made;
  Term ref;
  bool registers;
  {
    WB_OPEN_SOCKET(s, a[0]);
    switch (s->turn(s->acceptors, p.id)) {
      case NativeSocket::Turn::queued:
        return raise_invalid(p, am::state);
      case NativeSocket::Turn::queue:
        ++s->counters.acc_tries;
        s->wait(s->acceptors, p.id, a[1]);
        return am::select;
      case NativeSocket::Turn::now:
        break;
    }
    ++s->counters.acc_tries;
    p.charge(200);
    int fd = s->network().accept(s->fd());
    if (fd < 0 && errno == EAGAIN) {
      if (!s->acceptors.any()) ++s->counters.acc_waits;
      s->read_state |= NativeSocket::kAccepting;
      s->wait(s->acceptors, p.id, a[1], replaced_handle());
      return am::select;
    }
    const int failed = fd < 0 ? errno : 0;
    s->done(s->acceptors, p.id);
    if (!s->acceptors.any()) s->read_state &= ~NativeSocket::kAccepting;
    if (failed) return ++s->counters.acc_fails, posix_error(p.heap, failed);
    registers = s->registered;
    ref = accepted(p, *s, fd);
  }
  made = NativeSocket::of(ref);
  made->give_to(p.id);
  if (registers) made->enter_registry();
  made->release();  // the term has its own share
  return ok_tuple(p, ref);
}

/// The waiting of `operation`'s kind, or null.
static Waiters* waiters_of(NativeSocket& s, Term operation) {
  if (operation == am::accept) return &s.acceptors;
  if (operation == am::connect) return &s.connectors;
  if (operation == am::send || operation == am::sendto || operation == am::sendmsg ||
      operation == am::sendfile)
    return &s.writers;
  if (operation == am::recv || operation == am::recvfrom || operation == am::recvmsg)
    return &s.readers;
  return nullptr;
}

BIF(prim_socket, nif_cancel, 3)
{
  if (!is_ref(a[2])) return kBadarg;
  WB_SOCKET(s, a[0]);
  NativeSocket::Guard guard(s->lock);
  Waiters* w = waiters_of(*s, a[1]);
  if (!w) return kBadarg;
  if (!s->is_open()) return closed_error(p);
  Term answer = s->cancel(*w, p.id, a[2]);
  if (answer == am::not_found) return answer;
  if (w == &s->connectors) s->write_state &= ~NativeSocket::kConnecting;
  if (w == &s->acceptors && !w->any()) s->read_state &= ~NativeSocket::kAccepting;
  return answer;
}

}  // namespace wb
