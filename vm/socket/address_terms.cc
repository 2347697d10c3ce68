#include "vm/socket/address_terms.h"

#include <arpa/inet.h>
#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "term/binary.h"
#include "term/map.h"
#include "term/number.h"
#include "term/socket_atoms.h"
#include "vm/socket/interface_terms.h"

namespace wb {

bool read_int(Term t, int* out) {
  int64_t n;
  if (!to_int64(t, &n) || n < INT32_MIN || n > INT32_MAX) return false;
  *out = static_cast<int>(n);
  return true;
}
bool read_unsigned(Term t, uint32_t* out) {
  uint64_t n;
  if (!to_uint64(t, &n) || n > UINT32_MAX) return false;
  *out = static_cast<uint32_t>(n);
  return true;
}

// --- domains, types ------------------------------------------------------------------------------
struct NamedNumber {
  Term name;
  int number;
};
constexpr NamedNumber kDomains[] = {
    {am::inet, AF_INET}, {am::inet6, AF_INET6}, {am::local, AF_LOCAL}, {am::unspec, AF_UNSPEC}};
constexpr NamedNumber kTypes[] = {{am::stream, SOCK_STREAM},
                                  {am::dgram, SOCK_DGRAM},
                                  {am::raw, SOCK_RAW},
                                  {am::seqpacket, SOCK_SEQPACKET}};
// What the link level says of a packet.
constexpr NamedNumber kPacketTypes[] = {
    {am::host, PACKET_HOST},           {am::broadcast, PACKET_BROADCAST},
    {am::multicast, PACKET_MULTICAST}, {am::otherhost, PACKET_OTHERHOST},
    {am::outgoing, PACKET_OUTGOING},   {am::loopback, PACKET_LOOPBACK},
    {am::user, PACKET_USER},           {am::kernel, PACKET_KERNEL}};
constexpr NamedNumber kHardwareTypes[] = {{am::netrom, ARPHRD_NETROM},
                                          {am::eether, ARPHRD_EETHER},
                                          {am::ether, ARPHRD_ETHER},
                                          {am::ax25, ARPHRD_AX25},
                                          {am::pronet, ARPHRD_PRONET},
                                          {am::chaos, ARPHRD_CHAOS},
                                          {am::ieee802, ARPHRD_IEEE802},
                                          {am::arcnet, ARPHRD_ARCNET},
                                          {am::appletlk, ARPHRD_APPLETLK},
                                          {am::dlci, ARPHRD_DLCI},
                                          {am::atm, ARPHRD_ATM},
                                          {am::metricom, ARPHRD_METRICOM},
                                          {am::ieee1394, ARPHRD_IEEE1394},
                                          {am::eui64, ARPHRD_EUI64},
                                          {am::infiniband, ARPHRD_INFINIBAND},
                                          {am::tunnel, ARPHRD_TUNNEL},
                                          {am::tunnel6, ARPHRD_TUNNEL6},
                                          {am::loopback, ARPHRD_LOOPBACK},
                                          {am::localtlk, ARPHRD_LOCALTLK},
                                          {am::none, ARPHRD_NONE},
                                          {am::void_, ARPHRD_VOID}};

template <size_t n>
static bool read_named(const NamedNumber (&table)[n], Term t, int* out) {
  for (const NamedNumber& row : table) {
    if (row.name == t) return *out = row.number, true;
  }
  return read_int(t, out);
}
template <size_t n>
static Term named_term(const NamedNumber (&table)[n], int number) {
  for (const NamedNumber& row : table) {
    if (row.number == number) return row.name;
  }
  return make_small(number);
}

Term hardware_type_term(int type) { return named_term(kHardwareTypes, type); }

bool read_domain(Term t, int* out) { return read_named(kDomains, t, out); }
Term domain_term(int domain) { return named_term(kDomains, domain); }
bool read_type(Term t, int* out) { return read_named(kTypes, t, out); }
Term type_term(int type) { return named_term(kTypes, type); }

// --- addresses of the internet -------------------------------------------------------------------
/// The elements of a tuple of `n` numbers up to `most`.
static bool read_numbers(Term t, size_t n, int64_t most, uint32_t* out) {
  if (!is_tuple_of(t, n)) return false;
  for (size_t i = 0; i < n; ++i) {
    Term e = boxed_ptr(t)[i + 1];
    if (!is_small(e) || small_value(e) < 0 || small_value(e) > most) return false;
    out[i] = static_cast<uint32_t>(small_value(e));
  }
  return true;
}

bool read_ipv4(Term t, void* to) {
  uint8_t* bytes = static_cast<uint8_t*>(to);
  auto set = [&](uint32_t host_order) {
    uint32_t n = htonl(host_order);
    memcpy(bytes, &n, sizeof n);
    return true;
  };
  if (t == am::any) return set(INADDR_ANY);
  if (t == am::loopback) return set(INADDR_LOOPBACK);
  if (t == am::broadcast) return set(INADDR_BROADCAST);
  uint32_t parts[4];
  if (!read_numbers(t, 4, 255, parts)) return false;
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(parts[i]);
  return true;
}
Term ipv4_term(Heap& h, const void* from) {
  const uint8_t* b = static_cast<const uint8_t*>(from);
  return tuple(h, make_small(b[0]), make_small(b[1]), make_small(b[2]), make_small(b[3]));
}
bool read_ipv6(Term t, void* to) {
  if (t == am::any) return memcpy(to, &in6addr_any, 16), true;
  if (t == am::loopback) return memcpy(to, &in6addr_loopback, 16), true;
  uint32_t parts[8];
  if (!read_numbers(t, 8, 0xffff, parts)) return false;
  uint8_t* bytes = static_cast<uint8_t*>(to);
  for (int i = 0; i < 8; ++i) {
    bytes[2 * i] = static_cast<uint8_t>(parts[i] >> 8);
    bytes[2 * i + 1] = static_cast<uint8_t>(parts[i]);
  }
  return true;
}
Term ipv6_term(Heap& h, const void* from) {
  const uint8_t* b = static_cast<const uint8_t*>(from);
  Term* e;
  Term t = new_tuple(h, 8, &e);
  for (int i = 0; i < 8; ++i) e[i] = make_small(b[2 * i] << 8 | b[2 * i + 1]);
  return t;
}

// --- addresses -----------------------------------------------------------------------------------
static bool read_port(Term map, in_port_t* out) {
  Term port = map_get(map, am::port);
  if (!is_small(port)) return false;  // of a larger number its last 16 bits count, as in BEAM
  *out = htons(static_cast<uint16_t>(small_value(port)));
  return true;
}

static bool read_inet(Term map, RawAddress* out) {
  auto* a = reinterpret_cast<sockaddr_in*>(&out->room);
  a->sin_family = AF_INET;
  out->size = sizeof *a;
  return read_port(map, &a->sin_port) && read_ipv4(map_get(map, am::addr), &a->sin_addr);
}
static bool read_inet6(Term map, RawAddress* out) {
  auto* a = reinterpret_cast<sockaddr_in6*>(&out->room);
  a->sin6_family = AF_INET6;
  out->size = sizeof *a;
  return read_port(map, &a->sin6_port) && read_ipv6(map_get(map, am::addr), &a->sin6_addr) &&
         read_unsigned(map_get(map, am::flowinfo), &a->sin6_flowinfo) &&
         read_unsigned(map_get(map, am::scope_id), &a->sin6_scope_id);
}
/// A name of the file system, or, if it begins with a zero, one of Linux' own.
static bool read_local(Term map, RawAddress* out) {
  auto* a = reinterpret_cast<sockaddr_un*>(&out->room);
  Term path = map_get(map, am::path);
  if (!is_value(path) || !is_bitstring(path) || !bits_of(path).whole_bytes()) return false;
  ByteView bytes(path);
  if (bytes.size() >= sizeof a->sun_path) return false;
  a->sun_family = AF_LOCAL;
  memcpy(a->sun_path, bytes.data(), bytes.size());
  // Behind a name of the file system is a zero. Without any name the system makes one.
  bool file = bytes.size() && bytes.data()[0] != 0;
  out->size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + bytes.size() + file);
  return true;
}
static bool read_packet(Term map, RawAddress* out) {
  auto* a = reinterpret_cast<sockaddr_ll*>(&out->room);
  int protocol, kind = 0, hardware = 0;
  Term addr = map_get(map, am::addr);
  if (!read_int(map_get(map, am::protocol), &protocol) ||
      !read_int(map_get(map, am::ifindex), &a->sll_ifindex) ||
      !read_named(kPacketTypes, map_get(map, am::pkttype), &kind) ||
      !read_named(kHardwareTypes, map_get(map, am::hatype), &hardware) || !is_value(addr) ||
      !is_bitstring(addr)) {
    return false;
  }
  ByteView bytes(addr);
  if (bytes.size() > sizeof a->sll_addr) return false;
  a->sll_family = AF_PACKET;
  a->sll_protocol = htons(static_cast<uint16_t>(protocol));
  a->sll_pkttype = static_cast<uint8_t>(kind);
  a->sll_hatype = static_cast<uint16_t>(hardware);
  a->sll_halen = static_cast<uint8_t>(bytes.size());
  memcpy(a->sll_addr, bytes.data(), bytes.size());
  out->size = sizeof *a;
  return true;
}
/// A family's number, and the bytes after it.
static bool read_native(int family, Term map, RawAddress* out) {
  Term addr = map_get(map, am::addr);
  if (!is_value(addr) || !is_bitstring(addr) || family < 0 || family > 0xffff) return false;
  ByteView bytes(addr);
  constexpr size_t kBefore = offsetof(sockaddr, sa_data);
  if (bytes.size() > sizeof(sockaddr_storage) - kBefore) return false;
  out->any.sa_family = static_cast<sa_family_t>(family);
  memcpy(reinterpret_cast<char*>(&out->room) + kBefore, bytes.data(), bytes.size());
  out->size = static_cast<socklen_t>(kBefore + bytes.size());
  return true;
}

bool read_address(Term map, RawAddress* out) {
  if (!is_map(map)) return false;
  Term family = map_get(map, am::family);
  if (family == am::inet) return read_inet(map, out);
  if (family == am::inet6) return read_inet6(map, out);
  if (family == am::local) return read_local(map, out);
  if (family == am::packet) return read_packet(map, out);
  if (family == am::unspec) return read_native(AF_UNSPEC, map, out);
  return is_small(family) && read_native(static_cast<int>(small_value(family)), map, out);
}

static Term local_term(Heap& h, const sockaddr* address, size_t size) {
  const char* path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
  constexpr size_t kBefore = offsetof(sockaddr_un, sun_path);
  size_t n = size > kBefore ? size - kBefore : 0;
  if (n && path[0]) n = strnlen(path, n);
  Term pairs[] = {am::family, am::local, am::path, make_binary(h, path, n)};
  return map_from_pairs(h, pairs, 2);
}
static Term packet_term(Heap& h, const sockaddr_ll& a) {
  Term pairs[] = {am::family,   am::packet,
                  am::protocol, make_small(ntohs(a.sll_protocol)),
                  am::ifindex,  make_small(a.sll_ifindex),
                  am::pkttype,  named_term(kPacketTypes, a.sll_pkttype),
                  am::hatype,   named_term(kHardwareTypes, a.sll_hatype),
                  am::addr,     make_binary(h, a.sll_addr, std::min<size_t>(a.sll_halen, 8))};
  return map_from_pairs(h, pairs, 6);
}

Term address_term(Heap& h, const sockaddr* address, size_t size) {
  constexpr size_t kBefore = offsetof(sockaddr, sa_data);
  if (size < kBefore) return make_binary(h, address, size);
  const int family = address->sa_family;
  if (family == AF_INET && size >= sizeof(sockaddr_in)) {
    auto* a = reinterpret_cast<const sockaddr_in*>(address);
    Term pairs[] = {am::family, am::inet,
                    am::port,   make_small(ntohs(a->sin_port)),
                    am::addr,   ipv4_term(h, &a->sin_addr)};
    return map_from_pairs(h, pairs, 3);
  }
  if (family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    auto* a = reinterpret_cast<const sockaddr_in6*>(address);
    Term pairs[] = {am::family,   am::inet6,
                    am::port,     make_small(ntohs(a->sin6_port)),
                    am::addr,     ipv6_term(h, &a->sin6_addr),
                    am::flowinfo, make_small(a->sin6_flowinfo),
                    am::scope_id, make_small(a->sin6_scope_id)};
    return map_from_pairs(h, pairs, 5);
  }
  if (family == AF_LOCAL) return local_term(h, address, size);
  if (family == AF_PACKET && size >= offsetof(sockaddr_ll, sll_addr)) {
    return packet_term(h, *reinterpret_cast<const sockaddr_ll*>(address));
  }
  const char* rest = reinterpret_cast<const char*>(address) + kBefore;
  Term pairs[] = {am::family, family == AF_UNSPEC ? am::unspec : make_small(family), am::addr,
                  make_binary(h, rest, size - kBefore)};
  return map_from_pairs(h, pairs, 2);
}

}  // namespace wb
