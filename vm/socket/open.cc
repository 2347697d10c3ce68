// Opening, naming and closing sockets.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "term/binary.h"
#include "vm/io/net_namespace.h"
#include "vm/process/native_yield.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

/// A flag of a map of options, or what holds without.
bool flag_of(Term options, Term key, bool otherwise) {
  Term t = map_get(options, key);
  return t == am::true_ || (t != am::false_ && otherwise);
}

/// A descriptor in another name space. -errno: why not.
int open_in(Network& network, const std::string& name_space, int domain, int type, int protocol) {
  const NetNamespaceScope there(name_space);
  if (there.error()) return -there.error();
  const int fd = network.open(domain, type, protocol);
  return fd < 0 ? -errno : fd;
}

Term made(Process& p, NativeSocket& s, Term options) {
  NativeSockets& table = *p.vm().ports->sockets;
  s.settings.debug = flag_of(options, am::debug, table.socket_debug.load());
  s.settings.inform_of_wraps = table.inform_of_wraps.load();
  s.give_to(p.id);
  if (flag_of(options, am::use_registry, table.use_registry.load())) s.enter_registry();
  Term ref = s.ref(p.heap);
  s.release();  // the term has its own share
  return ok_tuple(p, ref);
}

}  // namespace

BIF(prim_socket, nif_open, 4)
{
  int domain, type, protocol;
  if (!is_map(a[3])) return kBadarg;
  if (!read_int(a[2], &protocol)) return out_of_range(p, a[2]);
  if (!read_domain(a[0], &domain)) return invalid(p, am::domain);
  if (!read_type(a[1], &type)) return invalid(p, am::type);
  p.charge(200);
  Network& network = *p.vm().network;
  Term name_space = map_get(a[3], am::netns);
  int fd;
  if (is_value(name_space) && is_bitstring(name_space)) {
    ByteView bytes(name_space);
    std::string path(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    fd = open_in(network, path, domain, type, protocol);
  } else {
    fd = network.open(domain, type, protocol);
    if (fd < 0) fd = -errno;
  }
  if (fd < 0) return posix_error(p.heap, -fd);
  // What the system chose is asked for once; of an unknown kind it may not say.
  socklen_t size = sizeof protocol;
  ask_option(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size);
  auto* s = new NativeSocket(*p.vm().ports->sockets, fd, {domain, type, protocol});
  return made(p, *s, a[3]);
}

/// From a descriptor: a copy of it, or, with dup => false, itself.
BIF(prim_socket, nif_open, 2)
{
  int fd;
  if (!is_map(a[1]) || !read_int(a[0], &fd)) return kBadarg;
  NativeSocket::Kind kind = {};
  auto ask = [&](int what, int* out) {
    socklen_t size = sizeof *out;
    return ask_option(fd, SOL_SOCKET, what, out, &size) == 0;
  };
  Term domain = map_get(a[1], am::domain), type = map_get(a[1], am::type);
  Term protocol = map_get(a[1], am::protocol);
  // A domain or type that is none counts as not given.
  if (!read_domain(domain, &kind.domain) && !ask(SO_DOMAIN, &kind.domain))
    return invalid(p, am::domain);
  if (!read_type(type, &kind.type) && !ask(SO_TYPE, &kind.type)) return invalid(p, am::type);
  if (is_value(protocol) ? !read_int(protocol, &kind.protocol) : !ask(SO_PROTOCOL, &kind.protocol))
    return invalid(p, am::protocol);
  RawAddress own;
  Network& network = *p.vm().network;
  network.adopt(fd);
  if (network.name(fd, &own.any, &own.size) != 0) return posix_error(p.heap, errno);
  const bool copies = flag_of(a[1], am::dup, true);
  int used = copies ? duplicate(fd) : fd;
  if (used < 0) return posix_error(p.heap, errno);
  change_flags(used, O_NONBLOCK);
  network.adopt(used);
  auto* s = new NativeSocket(*p.vm().ports->sockets, used, kind);
  s->made_from = copies ? fd : -1;
  RawAddress peer;
  if (network.peer(used, &peer.any, &peer.size) == 0) s->write_state |= NativeSocket::kConnected;
  return made(p, *s, a[1]);
}

BIF(prim_socket, nif_bind, 2)
{
  WB_OPEN_SOCKET(s, a[0]);
  RawAddress address;
  if (!read_address(a[1], &address)) return invalid(p, am::sockaddr);
  if (s->network().bind(s->fd(), &address.any, address.size) != 0)
    return posix_error(p.heap, errno);
  s->read_state |= NativeSocket::kBound;
  return am::ok;
}

BIF(prim_socket, nif_listen, 2)
{
  int backlog;
  if (!read_int(a[1], &backlog)) return out_of_range(p, a[1]);
  WB_OPEN_SOCKET(s, a[0]);
  if (s->network().listen(s->fd(), backlog) != 0) return posix_error(p.heap, errno);
  s->read_state |= NativeSocket::kListening;
  return am::ok;
}

static Term name_of(Process& p, Term ref, int (Network::*ask)(int, sockaddr*, socklen_t*)) {
  WB_OPEN_SOCKET(s, ref);
  RawAddress address;
  if ((s->network().*ask)(s->fd(), &address.any, &address.size) != 0)
    return posix_error(p.heap, errno);
  return ok_tuple(p, address_term(p.heap, &address.any, address.size));
}
BIF(prim_socket, nif_sockname, 1)
{
  return name_of(p, a[0], &Network::name);
}
BIF(prim_socket, nif_peername, 1)
{
  return name_of(p, a[0], &Network::peer);
}

BIF(prim_socket, nif_shutdown, 2)
{
  const Term how = a[1];
  WB_OPEN_SOCKET(s, a[0]);
  if (how != am::read && how != am::write && how != am::read_write)
    return raise_invalid(p, tuple(p.heap, am::how, how));
  const int direction = how == am::read ? SHUT_RD : how == am::write ? SHUT_WR : SHUT_RDWR;
  return s->network().shutdown(s->fd(), direction) == 0 ? am::ok : posix_error(p.heap, errno);
}

BIF(prim_socket, nif_close, 1)
{
  WB_SOCKET(s, a[0]);
  return s->close(p.id) ? am::ok : closed_error(p);
}

/// May take as long as the socket lingers.
BIF(prim_socket, nif_finalize_close, 1)
{
  WB_SOCKET(s, a[0]);
  {
    NativeSocket::Guard guard(s->lock);
    if (s->is_open()) return raise_invalid(p, am::state);
  }
  std::optional<int> descriptor = s->finalize();
  if (!descriptor) return closed_error(p);
  if (!lingers(*descriptor)) {
    close_descriptor(s->network(), *descriptor, false);
    return am::ok;
  }
  bool begun = false;
  auto wait = [&] { begun = true, close_descriptor(s->network(), *descriptor, true); };
  if (off_scheduler(p, wait, DirtyKind::io)) return am::ok;
  if (!begun) close_descriptor(s->network(), *descriptor, false);
  return kCancelled;
}

}  // namespace wb
