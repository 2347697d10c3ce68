#include "vm/port/interfaces.h"

#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/recording.h"
#include "vm/io/network.h"
#include "vm/port/inet_address.h"

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

/// Flags as inet:ifset/2 gives them, set in or taken from those that an interface has.
short flags_from_erlang(uint32_t n, short now) {
  constexpr uint32_t kUp = 0x1, kBroadcast = 0x2, kPointToPoint = 0x8, kDown = 0x100,
                     kNoBroadcast = 0x200, kNoPointToPoint = 0x800;
  auto flags = static_cast<unsigned short>(now);
  const auto set = [&](uint32_t on, uint32_t off, unsigned flag) {
    if (n & on) flags |= flag;
    if (n & off) flags &= ~flag;
  };
  set(kUp, kDown, IFF_UP);
  set(kBroadcast, kNoBroadcast, IFF_BROADCAST);
  set(kPointToPoint, kNoPointToPoint, IFF_POINTOPOINT);
  return static_cast<short>(flags);
}

/// An address without a port; `out` keeps no family if it is not of IPv4.
bool take_ip(std::string_view* in, sockaddr* out) {
  uint8_t family;
  std::string_view bytes;
  if (!take_byte(in, &family)) return false;
  if (system_family(family) == AF_INET6) return take_bytes(in, 16, &bytes);
  if (system_family(family) != AF_INET || !take_bytes(in, 4, &bytes)) return false;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  memcpy(&a.sin_addr, bytes.data(), 4);
  memcpy(out, &a, sizeof a);
  return true;
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

static int ask_host_name(std::string* out) {
  char name[256];
  if (gethostname(name, sizeof name) != 0) return errno;
  out->append(name, strnlen(name, sizeof name));
  return 0;
}
int host_name(std::string* out) { return text_call(ask_host_name, out); }

static int ask_addresses(std::string* out) {
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

int interface_addresses(std::string* out) { return text_call(ask_addresses, out); }

static int ask_names(std::string* out) {
  struct if_nameindex* all = if_nameindex();
  if (!all) return errno;
  for (auto* i = all; i->if_index; ++i) {
    *out += i->if_name;
    *out += '\0';
  }
  if_freenameindex(all);
  return 0;
}
int interface_names(std::string* out) { return text_call(ask_names, out); }

int interface_options(int fd, std::string_view in, std::string* out) {
  std::string name;
  if (!take_text(&in, &name)) return EINVAL;
  if (name.size() >= IFNAMSIZ) return 0;  // there is none of that name
  ifreq r = {};
  auto ask = [&](unsigned long what) {
    r = {};
    memcpy(r.ifr_name, name.data(), name.size());
    return ask_device(fd, what, &r, sizeof r) == 0;
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

namespace {
/// Does ioctl(ifreq) with what `fill` leaves in it; false: what was given is malformed.
class InterfaceChange {
 public:
  InterfaceChange(int fd, std::string_view name) : fd_(fd), name_(name) {}
  bool address(std::string_view* in, unsigned long what) {
    ifreq r = named();
    if (!take_ip(in, &r.ifr_addr)) return false;
    if (r.ifr_addr.sa_family == AF_INET) ask_device(fd_, what, &r, sizeof r);
    return true;
  }
  bool mtu(std::string_view* in) {
    ifreq r = named();
    int32_t n;
    if (!take_int(in, &n)) return false;
    r.ifr_mtu = n;
    ask_device(fd_, SIOCSIFMTU, &r, sizeof r);
    return true;
  }
  bool flags(std::string_view* in) {
    ifreq r = named();
    int32_t n;
    if (!take_int(in, &n)) return false;
    if (ask_device(fd_, SIOCGIFFLAGS, &r, sizeof r) != 0) return true;
    r.ifr_flags = flags_from_erlang(static_cast<uint32_t>(n), r.ifr_flags);
    ask_device(fd_, SIOCSIFFLAGS, &r, sizeof r);
    return true;
  }
  bool hardware(std::string_view* in) {
    ifreq r = named();
    std::string_view size, bytes;
    if (!take_bytes(in, 2, &size)) return false;
    const size_t n = static_cast<uint8_t>(size[0]) << 8 | static_cast<uint8_t>(size[1]);
    if (!take_bytes(in, n, &bytes)) return false;
    if (n != 6 || ask_device(fd_, SIOCGIFHWADDR, &r, sizeof r) != 0)
      return true;  // which says of what kind it is
    memcpy(r.ifr_hwaddr.sa_data, bytes.data(), n);
    ask_device(fd_, SIOCSIFHWADDR, &r, sizeof r);
    return true;
  }

 private:
  ifreq named() const {
    ifreq r{};
    memcpy(r.ifr_name, name_.data(), name_.size());
    return r;
  }
  const int fd_;
  const std::string_view name_;
};
}  // namespace

int set_interface_options(int fd, std::string_view in) {
  std::string name;
  if (!take_text(&in, &name)) return EINVAL;
  if (name.size() >= IFNAMSIZ) return 0;  // there is none of that name
  InterfaceChange change(fd, name);
  for (uint8_t which; take_byte(&in, &which);) {
    bool good = false;
    switch (static_cast<Item>(which)) {
      case Item::address:
        good = change.address(&in, SIOCSIFADDR);
        break;
      case Item::broadcast:
        good = change.address(&in, SIOCSIFBRDADDR);
        break;
      case Item::destination:
        good = change.address(&in, SIOCSIFDSTADDR);
        break;
      case Item::netmask:
        good = change.address(&in, SIOCSIFNETMASK);
        break;
      case Item::mtu:
        good = change.mtu(&in);
        break;
      case Item::flags:
        good = change.flags(&in);
        break;
      case Item::hardware:
        good = change.hardware(&in);
        break;
    }
    if (!good) return EINVAL;
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
