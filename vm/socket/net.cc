// prim_net: names, addresses and interfaces, as the system's C library knows them. What may ask a
// server runs on a dirty thread.
#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include "term/binary.h"
#include "vm/io/net_namespace.h"
#include "vm/process/native_yield.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/interface_terms.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

/// A resolver's errors are atoms of kernel's.
Term resolver_reason(int error, int system_error) {
  switch (error) {
    case EAI_ADDRFAMILY:
      return am::eaddrfamily;
    case EAI_AGAIN:
      return am::eagain;
    case EAI_BADFLAGS:
      return am::ebadflags;
    case EAI_FAIL:
      return am::efail;
    case EAI_FAMILY:
      return am::efamily;
    case EAI_MEMORY:
      return am::emem;
    case EAI_NODATA:
      return am::enodata;
    case EAI_NONAME:
      return am::enoname;
    case EAI_SERVICE:
      return am::eservice;
    case EAI_SOCKTYPE:
      return am::esocktype;
    case EAI_SYSTEM:
      return posix_atom(system_error);
    case EAI_OVERFLOW:
      return am::eoverflow;
    default:
      return posix_atom(EINVAL);
  }
}

/// undefined, or a list of bytes.
bool read_optional_text(Term t, std::optional<std::string>* out) {
  if (t == am::undefined) return true;
  std::string text;
  if (!is_cons(t) && !is_nil(t)) return false;
  for (; is_cons(t); t = tail(t)) {
    if (!is_small(head(t)) || small_value(head(t)) < 0 || small_value(head(t)) > 255) return false;
    text += static_cast<char>(small_value(head(t)));
  }
  if (!is_nil(t)) return false;
  *out = std::move(text);
  return true;
}

bool read_name_flags(Term list, int* out) {
  *out = 0;
  if (list == am::undefined) return true;
  for (; is_cons(list); list = tail(list)) {
    Term t = head(list);
    int bit = t == am::namereqd      ? NI_NAMEREQD
              : t == am::dgram       ? NI_DGRAM
              : t == am::nofqdn      ? NI_NOFQDN
              : t == am::numerichost ? NI_NUMERICHOST
              : t == am::numericserv ? NI_NUMERICSERV
              : t == am::idn         ? NI_IDN
                                     : 0;
    if (!bit) return false;
    *out |= bit;
  }
  return is_nil(list);
}

Term address_info_term(Heap& h, const addrinfo& i) {
  const Term kind = otp_release() < 27 ? am::type : am::socktype;
  Term pairs[] = {
      am::family,   domain_term(i.ai_family),  kind,     type_term(i.ai_socktype),
      am::protocol, make_small(i.ai_protocol), am::addr, address_term(h, i.ai_addr, i.ai_addrlen)};
  return map_from_pairs(h, pairs, 4);
}

/// Of the families that have a term, and with what belongs to the kind of interface.
Term interface_term(Heap& h, const ifaddrs& i) {
  auto size_of = [](const sockaddr* a) -> size_t {
    return a->sa_family == AF_INET    ? sizeof(sockaddr_in)
           : a->sa_family == AF_INET6 ? sizeof(sockaddr_in6)
                                      : sizeof(sockaddr_storage);
  };
  Term pairs[10];
  size_t n = 0;
  auto add = [&](Term key, Term value) { pairs[n++] = key, pairs[n++] = value; };
  auto add_address = [&](Term key, const sockaddr* a) {
    if (a && (a->sa_family == AF_INET || a->sa_family == AF_INET6 ||
              (a->sa_family == AF_PACKET && key == am::addr)))
      add(key, a->sa_family == AF_PACKET ? address_term(h, a, 20) : address_term(h, a, size_of(a)));
  };
  add(am::name, text_term(h, i.ifa_name));
  constexpr unsigned kOfIoctl = 0xffff;  // BEAM knows the flags that an ioctl has room for
  add(am::flags, interface_flag_terms(h, i.ifa_flags & kOfIoctl));
  add_address(am::addr, i.ifa_addr);
  add_address(am::netmask, i.ifa_netmask);
  if (i.ifa_flags & IFF_BROADCAST)
    add_address(am::broadaddr, i.ifa_broadaddr);
  else if (i.ifa_flags & IFF_POINTOPOINT)
    add_address(am::dstaddr, i.ifa_dstaddr);
  return map_from_pairs(h, pairs, n / 2);
}

/// getifaddrs(3) in another name space, if one is named. 0 or errno.
int interfaces_of(const std::string& name_space, ifaddrs** all) {
  if (name_space.empty()) return getifaddrs(all) == 0 ? 0 : errno;
  const NetNamespaceScope there(name_space);
  if (there.error()) return there.error();
  return getifaddrs(all) == 0 ? 0 : errno;
}

}  // namespace

BIF(prim_net, nif_info, 0)
{
  Term pairs[] = {am::debug, am::false_};
  return map_from_pairs(p.heap, pairs, 1);
}
/// There is nothing to command: its one command sets what OTP prints of itself.
BIF(prim_net, nif_command, 1)
{
  return posix_error(p.heap, EINVAL);
}

BIF(prim_net, nif_gethostname, 0)
{
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return posix_error(p.heap, errno);
  return ok_tuple(p, text_term(p.heap, name));
}

BIF(prim_net, nif_getnameinfo, 2)
{
  RawAddress address;
  int flags;
  if (!is_map(a[0]) || !read_name_flags(a[1], &flags)) return kBadarg;
  if (!read_address(a[0], &address)) return posix_error(p.heap, EINVAL);
  char host[NI_MAXHOST] = {}, service[NI_MAXSERV] = {};
  int failed = 0, system_error = 0;
  auto ask = [&] {
    failed =
        getnameinfo(&address.any, address.size, host, sizeof host, service, sizeof service, flags);
    system_error = errno;
  };
  if (!off_scheduler(p, ask, DirtyKind::io)) return kCancelled;
  if (failed) return error_tuple(p, resolver_reason(failed, system_error));
  Term pairs[] = {am::host, text_term(p.heap, host), am::service, text_term(p.heap, service)};
  return ok_tuple(p, map_from_pairs(p.heap, pairs, 2));
}

BIF(prim_net, nif_getaddrinfo, 3)
{
  std::optional<std::string> host, service;
  if (!read_optional_text(a[0], &host) || !read_optional_text(a[1], &service) ||
      (!host && !service))
    return kBadarg;
  addrinfo* all = nullptr;
  int failed = 0, system_error = 0;
  auto ask = [&] {
    failed = getaddrinfo(host ? host->c_str() : nullptr, service ? service->c_str() : nullptr,
                         nullptr, &all);
    system_error = errno;
  };
  if (!off_scheduler(p, ask, DirtyKind::io)) {
    if (all) freeaddrinfo(all);
    return kCancelled;
  }
  if (failed) return error_tuple(p, resolver_reason(failed, system_error));
  ListBuilder list(p.heap);
  for (addrinfo* i = all; i; i = i->ai_next) list.add(address_info_term(p.heap, *i));
  freeaddrinfo(all);
  return ok_tuple(p, list.finish());
}

BIF(prim_net, nif_getifaddrs, 1)
{
  if (!is_map(a[0])) return kBadarg;
  std::string name_space;
  Term t = map_get(a[0], am::netns);
  if (is_value(t) && (is_cons(t) || is_bitstring(t))) {
    if (is_bitstring(t)) {
      ByteView bytes(t);
      name_space.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
      name_bytes(t, &name_space);
    }
  }
  ifaddrs* all = nullptr;
  if (int failed = interfaces_of(name_space, &all)) return posix_error(p.heap, failed);
  ListBuilder list(p.heap);
  for (ifaddrs* i = all; i; i = i->ifa_next) list.add(interface_term(p.heap, *i));
  freeifaddrs(all);
  return ok_tuple(p, list.finish());
}

BIF(prim_net, nif_if_name2index, 1)
{
  std::optional<std::string> name;
  if (!read_optional_text(a[0], &name) || !name) return kBadarg;
  if (name->size() >= IF_NAMESIZE) return posix_error(p.heap, EINVAL);
  unsigned n = if_nametoindex(name->c_str());
  return n ? ok_tuple(p, make_small(n)) : posix_error(p.heap, errno);
}
BIF(prim_net, nif_if_index2name, 1)
{
  uint32_t n;
  if (!read_unsigned(a[0], &n)) return kBadarg;
  char name[IF_NAMESIZE] = {};
  return if_indextoname(n, name) ? ok_tuple(p, text_term(p.heap, name))
                                 : posix_error(p.heap, errno);
}
namespace {
/// What the system's list of services has, of that protocol or ("any") of whatever one: what `of`
/// takes from it, else einval.
template <class Look, class Of>
Term service(Process& p, Term protocol, Look look, Of of) {
  std::optional<std::string> text;
  if (!read_optional_text(protocol, &text) || !text) return posix_error(p.heap, EINVAL);
  std::array<char, 8192> room;
  servent entry, *found = nullptr;
  look(*text == "any" ? nullptr : text->c_str(), &entry, room, &found);
  return found ? ok_tuple(p, of(*found)) : posix_error(p.heap, EINVAL);
}
}  // namespace

BIF(prim_net, nif_getservbyname, 2)
{
  std::optional<std::string> name;
  if (!read_optional_text(a[0], &name) || !name) return posix_error(p.heap, EINVAL);
  return service(
      p, a[1],
      [&](const char* protocol, servent* entry, auto& room, servent** found) {
        getservbyname_r(name->c_str(), protocol, entry, room.data(), room.size(), found);
      },
      [](const servent& s) { return make_small(ntohs(static_cast<uint16_t>(s.s_port))); });
}
BIF(prim_net, nif_getservbyport, 2)
{
  int64_t port;
  if (!to_int64(a[0], &port)) return posix_error(p.heap, EINVAL);
  return service(
      p, a[1],
      [&](const char* protocol, servent* entry, auto& room, servent** found) {
        const int asked = htons(static_cast<uint16_t>(port));
        getservbyport_r(asked, protocol, entry, room.data(), room.size(), found);
      },
      [&](const servent& s) { return text_term(p.heap, s.s_name); });
}

BIF(prim_net, nif_if_names, 0)
{
  struct if_nameindex* all = if_nameindex();
  if (!all) return posix_error(p.heap, errno);
  ListBuilder list(p.heap);
  for (auto* i = all; i->if_index; ++i)
    list.add(tuple(p.heap, make_small(i->if_index), text_term(p.heap, i->if_name)));
  if_freenameindex(all);
  return ok_tuple(p, list.finish());
}

}  // namespace wb
