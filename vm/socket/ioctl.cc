// What the network interfaces are asked, and told, through a socket.
#include <net/if.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/recording.h"
#include "term/binary.h"
#include "vm/io/network.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/interface_terms.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

enum class Ioctl : uint8_t {
  list,
  get_number,
  get_boolean,
  get_name,
  get_index,
  get_address,
  get_hardware,
  get_mtu,
  get_queue,
  get_flags,
  get_map,
  set_address,
  set_mtu,
  set_queue,
  set_flags,
  unknown,
};

Ioctl kind_of(int request) {
  switch (request) {
#define IOCTL_REQUEST(name, number, kind) \
  case number:                            \
    return Ioctl::kind;
#include "vm/socket/ioctl_requests.def"
    default:
      return Ioctl::unknown;
  }
}

Term not_supported(Process& p) { return error_tuple(p, am::enotsup); }

/// An interface's name; what is too long names none.
bool read_interface(Term t, ifreq* r, bool* exists) {
  std::string name;
  if (!(is_cons(t) || is_nil(t)) || !name_bytes(t, &name)) return false;
  *exists = name.size() < sizeof r->ifr_name;
  if (*exists) memcpy(r->ifr_name, name.data(), name.size());
  return true;
}

ssize_t ask_list(int fd, ifconf* all) {
  const size_t room = all->ifc_buf ? static_cast<size_t>(all->ifc_len) : 0;
  return system_call([=] { return ioctl(fd, SIOCGIFCONF, all); },
                     {{&all->ifc_len, sizeof all->ifc_len}, {all->ifc_buf, room}});
}

Term list_interfaces(Process& p, int fd) {
  Heap& h = p.heap;
  ifconf all = {};
  if (ask_list(fd, &all) != 0) return posix_error(h, errno);
  std::vector<char> room(static_cast<size_t>(all.ifc_len) + sizeof(ifreq));
  all.ifc_len = static_cast<int>(room.size());
  all.ifc_buf = room.data();
  if (ask_list(fd, &all) != 0) return posix_error(h, errno);
  ListBuilder list(h);
  for (int i = 0; i < all.ifc_len / static_cast<int>(sizeof(ifreq)); ++i) {
    const ifreq& r = all.ifc_req[i];
    Term pairs[] = {am::name, text_term(h, r.ifr_name), am::addr,
                    address_term(h, &r.ifr_addr, sizeof r.ifr_addr)};
    list.add(map_from_pairs(h, pairs, 2));
  }
  return ok_tuple(p, list.finish());
}

Term hardware_term(Heap& h, const sockaddr& a) {
  Term pairs[] = {am::family, hardware_type_term(a.sa_family), am::addr,
                  make_binary(h, a.sa_data, sizeof a.sa_data)};
  return map_from_pairs(h, pairs, 2);
}
Term map_term(Heap& h, const ifmap& m) {
  Term pairs[] = {am::mem_start, make_unsigned(h, m.mem_start),
                  am::mem_end,   make_unsigned(h, m.mem_end),
                  am::base_addr, make_small(m.base_addr),
                  am::irq,       make_small(m.irq),
                  am::dma,       make_small(m.dma),
                  am::port,      make_small(m.port)};
  return map_from_pairs(h, pairs, 6);
}

Term get_of_interface(Process& p, int fd, int request, Ioctl kind, Term argument) {
  Heap& h = p.heap;
  ifreq r = {};
  bool exists = true;
  if (kind == Ioctl::get_name) {
    if (!read_int(argument, &r.ifr_ifindex)) return kBadarg;
  } else if (!read_interface(argument, &r, &exists)) {
    return kBadarg;
  }
  if (!exists) return error_tuple(p, am::enodev);
  if (ask_device(fd, static_cast<unsigned long>(request), &r, sizeof r) != 0)
    return posix_error(h, errno);
  switch (kind) {
    case Ioctl::get_name:
      return ok_tuple(p, text_term(h, r.ifr_name));
    case Ioctl::get_index:
      return ok_tuple(p, make_small(r.ifr_ifindex));
    case Ioctl::get_address:
      return ok_tuple(p, address_term(h, &r.ifr_addr, sizeof r.ifr_addr));
    case Ioctl::get_hardware:
      return ok_tuple(p, hardware_term(h, r.ifr_hwaddr));
    case Ioctl::get_mtu:
      return ok_tuple(p, make_small(r.ifr_mtu));
    case Ioctl::get_queue:
      return ok_tuple(p, make_small(r.ifr_qlen));
    case Ioctl::get_flags:
      return ok_tuple(p, interface_flag_terms(h, static_cast<unsigned short>(r.ifr_flags)));
    case Ioctl::get_map:
      return ok_tuple(p, map_term(h, r.ifr_map));
    case Ioctl::list:
    case Ioctl::get_number:
    case Ioctl::get_boolean:
    case Ioctl::set_address:
    case Ioctl::set_mtu:
    case Ioctl::set_queue:
    case Ioctl::set_flags:
    case Ioctl::unknown:
      break;
  }
  return not_supported(p);
}

/// #{Bit => boolean()}: on top of those that are set.
Term change_flags(Process& p, int fd, ifreq* r, Term changes) {
  if (ask_device(fd, SIOCGIFFLAGS, r, sizeof *r) != 0) return posix_error(p.heap, errno);
  if (!is_map(changes) || map_size(changes) == 0) return am::ok;
  MapIterator pairs(changes);
  Term bit, on;
  while (pairs.next(&bit, &on)) {
    int number;
    if (!read_int(bit, &number)) return invalid(p, am::flags);
    r->ifr_flags =
        static_cast<short>(on == am::true_ ? r->ifr_flags | number : r->ifr_flags & ~number);
  }
  return ask_device(fd, SIOCSIFFLAGS, r, sizeof *r) == 0 ? am::ok : posix_error(p.heap, errno);
}

Term set_of_interface(Process& p, int fd, int request, Ioctl kind, Term name, Term value) {
  ifreq r = {};
  bool exists;
  RawAddress address;
  if (!read_interface(name, &r, &exists)) return kBadarg;
  switch (kind) {
    case Ioctl::set_flags:
      return exists ? change_flags(p, fd, &r, value) : error_tuple(p, am::enodev);
    case Ioctl::set_address:
      if (!read_address(value, &address)) return invalid(p, am::sockaddr);
      memcpy(&r.ifr_addr, &address.any, sizeof r.ifr_addr);
      break;
    case Ioctl::set_mtu:
      if (!read_int(value, &r.ifr_mtu)) return invalid(p, am::mtu);
      break;
    case Ioctl::set_queue:
      if (!read_int(value, &r.ifr_qlen)) return invalid(p, am::txqlen);
      break;
    case Ioctl::list:
    case Ioctl::get_number:
    case Ioctl::get_boolean:
    case Ioctl::get_name:
    case Ioctl::get_index:
    case Ioctl::get_address:
    case Ioctl::get_hardware:
    case Ioctl::get_mtu:
    case Ioctl::get_queue:
    case Ioctl::get_flags:
    case Ioctl::get_map:
    case Ioctl::unknown:
      return not_supported(p);
  }
  if (!exists) return error_tuple(p, am::enodev);
  return ask_device(fd, static_cast<unsigned long>(request), &r, sizeof r) == 0
             ? am::ok
             : posix_error(p.heap, errno);
}

}  // namespace

BIF(prim_socket, nif_ioctl, 2)
{
  int request;
  if (!read_int(a[1], &request)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  const Ioctl kind = kind_of(request);
  if (kind == Ioctl::list) return list_interfaces(p, s->fd());
  if (kind != Ioctl::get_number && kind != Ioctl::get_boolean) return not_supported(p);
  int number = 0;
  if (ask_device(s->fd(), static_cast<unsigned long>(request), &number, sizeof number) != 0)
    return posix_error(p.heap, errno);
  return ok_tuple(p, kind == Ioctl::get_boolean ? make_bool(number != 0) : make_small(number));
}

BIF(prim_socket, nif_ioctl, 3)
{
  int request;
  if (!read_int(a[1], &request)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  const Ioctl kind = kind_of(request);
  if (kind < Ioctl::get_name || kind > Ioctl::get_map) return not_supported(p);
  return get_of_interface(p, s->fd(), request, kind, a[2]);
}

BIF(prim_socket, nif_ioctl, 4)
{
  int request;
  if (!read_int(a[1], &request)) return kBadarg;
  WB_OPEN_SOCKET(s, a[0]);
  const Ioctl kind = kind_of(request);
  if (kind < Ioctl::set_address || kind > Ioctl::set_flags) return not_supported(p);
  return set_of_interface(p, s->fd(), request, kind, a[2], a[3]);
}

}  // namespace wb
