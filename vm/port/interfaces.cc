#include "vm/port/interfaces.h"

#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vm/port/socket_address.h"

namespace wb {
namespace {

/// INET_IFOPT_* of inet_int.hrl.
enum class Item : char { address = 1, broadcast, destination, mtu, netmask, flags, hardware };

uint32_t flags_for_erlang(unsigned f) {
  uint32_t n = 0;
  if (f & IFF_UP) n |= 0x1;
  if (f & IFF_BROADCAST) n |= 0x2;
  if (f & IFF_LOOPBACK) n |= 0x4;
  if (f & IFF_POINTOPOINT) n |= 0x8;
  if (f & IFF_RUNNING) n |= 0x10;
  if (f & IFF_MULTICAST) n |= 0x20;
  return n;
}

/// Family and address, without a port. False: of another family.
bool put_ip(Item item, const sockaddr* a, std::string* out) {
  if (!a) return false;
  const void* bytes;
  size_t n;
  if (a->sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(a)->sin_addr, n = 4;
  } else if (a->sa_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr, n = 16;
  } else {
    return false;
  }
  *out += static_cast<char>(item);
  *out += static_cast<char>(family_code(a->sa_family));
  out->append(static_cast<const char*>(bytes), n);
  return true;
}

void put_hardware(const void* bytes, size_t n, std::string* out) {
  *out += static_cast<char>(Item::hardware);
  put_short(out, static_cast<uint32_t>(n));
  out->append(static_cast<const char*>(bytes), n);
}

void put_flags(unsigned flags, std::string* out) {
  *out += static_cast<char>(Item::flags);
  put_int(out, flags_for_erlang(flags));
}

/// A byte that says how long it is, and a text.
bool take_text(std::string_view* in, std::string* text) {
  uint8_t n;
  std::string_view bytes;
  if (!take_byte(in, &n) || !take_bytes(in, n, &bytes)) return false;
  *text = bytes;
  return true;
}

}  // namespace

int host_name(std::string* out) {
  char name[256];
  if (gethostname(name, sizeof name) != 0) return errno;
  out->append(name, strnlen(name, sizeof name));
  return 0;
}

int interface_addresses(std::string* out) {
  ifaddrs* all;
  if (getifaddrs(&all) != 0) return errno;
  for (ifaddrs* i = all; i; i = i->ifa_next) {
    *out += i->ifa_name;
    *out += '\0';
    put_flags(i->ifa_flags, out);
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_PACKET) {
      auto* link = reinterpret_cast<const sockaddr_ll*>(i->ifa_addr);
      if (link->sll_halen) put_hardware(link->sll_addr, link->sll_halen, out);
    } else if (put_ip(Item::address, i->ifa_addr, out)) {
      put_ip(Item::netmask, i->ifa_netmask, out);
      if (i->ifa_flags & IFF_POINTOPOINT)
        put_ip(Item::destination, i->ifa_dstaddr, out);
      else if (i->ifa_flags & IFF_BROADCAST)
        put_ip(Item::broadcast, i->ifa_broadaddr, out);
    }
    *out += '\0';
  }
  freeifaddrs(all);
  return 0;
}

int interface_names(std::string* out) {
  struct if_nameindex* all = if_nameindex();
  if (!all) return errno;
  for (auto* i = all; i->if_index; ++i) {
    *out += i->if_name;
    *out += '\0';
  }
  if_freenameindex(all);
  return 0;
}

int interface_options(int fd, std::string_view in, std::string* out) {
  std::string name;
  if (!take_text(&in, &name)) return EINVAL;
  if (name.size() >= IFNAMSIZ) return 0;  // there is none of that name
  ifreq r = {};
  auto ask = [&](unsigned long what) {
    r = {};
    memcpy(r.ifr_name, name.data(), name.size());
    return ioctl(fd, what, &r) == 0;
  };
  for (char which : in) {
    switch (static_cast<Item>(which)) {
      case Item::address:
        if (ask(SIOCGIFADDR)) put_ip(Item::address, &r.ifr_addr, out);
        break;
      case Item::broadcast:
        if (ask(SIOCGIFBRDADDR)) put_ip(Item::broadcast, &r.ifr_broadaddr, out);
        break;
      case Item::destination:
        if (ask(SIOCGIFDSTADDR)) put_ip(Item::destination, &r.ifr_dstaddr, out);
        break;
      case Item::netmask:
        if (ask(SIOCGIFNETMASK)) put_ip(Item::netmask, &r.ifr_netmask, out);
        break;
      case Item::mtu:
        if (!ask(SIOCGIFMTU)) break;
        *out += which;
        put_int(out, static_cast<uint32_t>(r.ifr_mtu));
        break;
      case Item::flags:
        if (ask(SIOCGIFFLAGS)) put_flags(static_cast<unsigned short>(r.ifr_flags), out);
        break;
      case Item::hardware:
        if (ask(SIOCGIFHWADDR)) put_hardware(r.ifr_hwaddr.sa_data, 6, out);
        break;
      default:
        return EINVAL;
    }
  }
  return 0;
}

int service_by_name(std::string_view in, std::string* out) {
  std::string name, protocol;
  if (!take_text(&in, &name) || !take_text(&in, &protocol)) return EINVAL;
  servent entry, *found = nullptr;
  char room[4096];
  getservbyname_r(name.c_str(), protocol.c_str(), &entry, room, sizeof room, &found);
  if (!found) return EINVAL;
  put_short(out, ntohs(static_cast<uint16_t>(found->s_port)));
  return 0;
}

int service_by_port(std::string_view in, std::string* out) {
  std::string_view number;
  std::string protocol;
  if (!take_bytes(&in, 2, &number) || !take_text(&in, &protocol)) return EINVAL;
  uint16_t network;
  memcpy(&network, number.data(), 2);
  servent entry, *found = nullptr;
  char room[4096];
  getservbyport_r(network, protocol.c_str(), &entry, room, sizeof room, &found);
  if (!found) return EINVAL;
  *out += found->s_name;
  return 0;
}

}  // namespace wb
