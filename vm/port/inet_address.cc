#include "vm/port/inet_address.h"

#include <cstddef>
#include <cstring>

namespace wb {

int system_family(uint8_t family) {
  switch (static_cast<Family>(family)) {
    case Family::inet:
      return AF_INET;
    case Family::inet6:
      return AF_INET6;
    case Family::local:
      return AF_UNIX;
    default:
      return -1;
  }
}
uint8_t family_code(int system) {
  Family f = Family::undefined;
  if (system == AF_UNSPEC) f = Family::unspec;
  if (system == AF_INET) f = Family::inet;
  if (system == AF_INET6) f = Family::inet6;
  if (system == AF_UNIX) f = Family::local;
  return static_cast<uint8_t>(f);
}

// --- numbers
bool take_bytes(std::string_view* in, size_t n, std::string_view* out) {
  if (in->size() < n) return false;
  *out = in->substr(0, n);
  in->remove_prefix(n);
  return true;
}
bool take_byte(std::string_view* in, uint8_t* n) {
  std::string_view b;
  if (!take_bytes(in, 1, &b)) return false;
  *n = static_cast<uint8_t>(b[0]);
  return true;
}
bool take_int(std::string_view* in, int32_t* n) {
  std::string_view b;
  if (!take_bytes(in, 4, &b)) return false;
  uint32_t v = 0;
  for (char c : b) v = v << 8 | static_cast<uint8_t>(c);
  *n = static_cast<int32_t>(v);
  return true;
}
void put_int(std::string* out, uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8) *out += static_cast<char>(n >> shift);
}
void put_short(std::string* out, uint32_t n) {
  *out += static_cast<char>(n >> 8);
  *out += static_cast<char>(n);
}

// --- addresses
static void set_ip(SocketAddress* a, int family, const char* ip, uint16_t network_port) {
  *a = SocketAddress();
  if (family == AF_INET) {
    a->in.sin_family = AF_INET;
    a->in.sin_port = network_port;
    memcpy(&a->in.sin_addr, ip, 4);
    a->size = sizeof a->in;
  } else {
    a->in6.sin6_family = AF_INET6;
    a->in6.sin6_port = network_port;
    memcpy(&a->in6.sin6_addr, ip, 16);
    a->size = sizeof a->in6;
  }
}

static bool take_path(std::string_view* in, SocketAddress* out) {
  uint8_t n;
  std::string_view path;
  if (!take_byte(in, &n) || !take_bytes(in, n, &path)) return false;
  if (n >= sizeof out->local.sun_path) return false;
  *out = SocketAddress();
  out->local.sun_family = AF_UNIX;
  if (n) memcpy(out->local.sun_path, path.data(), n);
  // A name that begins with a zero is in no directory, and all its bytes count.
  // Without a name the system makes one up, which is in no directory.
  const bool in_directory = n && path[0] != 0;
  out->size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + n + in_directory);
  return true;
}

bool take_address(std::string_view* in, int family, SocketAddress* out) {
  uint8_t code;
  if (!take_byte(in, &code)) return false;
  auto kind = static_cast<Family>(code);
  if (kind == Family::local) return family == AF_UNIX && take_path(in, out);
  std::string_view port, ip;
  if (!take_bytes(in, 2, &port)) return false;
  uint16_t network_port;
  memcpy(&network_port, port.data(), 2);
  const bool four = family == AF_INET;
  if (!four && family != AF_INET6) return false;
  if (kind == Family::any || kind == Family::loopback) {
    in_addr any4{htonl(kind == Family::any ? INADDR_ANY : INADDR_LOOPBACK)};
    const in6_addr& any6 = kind == Family::any ? in6addr_any : in6addr_loopback;
    const void* address = &any6;
    if (four) address = &any4;
    set_ip(out, family, static_cast<const char*>(address), network_port);
    return true;
  }
  if (system_family(code) != family || !take_bytes(in, four ? 4 : 16, &ip)) return false;
  set_ip(out, family, ip.data(), network_port);
  if (four) return true;
  int32_t flow, scope;
  if (!take_int(in, &flow) || !take_int(in, &scope)) return false;
  out->in6.sin6_flowinfo = htonl(static_cast<uint32_t>(flow));
  out->in6.sin6_scope_id = static_cast<uint32_t>(scope);
  return true;
}

void put_address(const SocketAddress& a, std::string* out) {
  *out += static_cast<char>(family_code(a.any.sa_family));
  if (a.has_port()) {
    put_short(out, a.port());
    if (a.any.sa_family == AF_INET)
      out->append(reinterpret_cast<const char*>(&a.in.sin_addr), 4);
    else
      out->append(reinterpret_cast<const char*>(&a.in6.sin6_addr), 16);
  } else if (a.any.sa_family == AF_UNIX) {
    const std::string path = a.path();
    *out += static_cast<char>(path.size());
    *out += path;
  }
}

}  // namespace wb
