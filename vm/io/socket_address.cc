#include "vm/io/socket_address.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

namespace wb {
namespace {

constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr socklen_t kPathAt = offsetof(sockaddr_un, sun_path);

}  // namespace

SocketAddress::SocketAddress(const sockaddr* bytes, socklen_t n) : SocketAddress() {
  size = std::min<socklen_t>(n, sizeof storage);
  memcpy(&storage, bytes, size);
}
SocketAddress SocketAddress::none(int family) {
  SocketAddress a;
  a.any.sa_family = static_cast<sa_family_t>(family);
  a.size = family == AF_INET ? sizeof a.in : family == AF_INET6 ? sizeof a.in6 : kPathAt;
  return a;
}

uint16_t SocketAddress::port() const { return has_port() ? ntohs(in.sin_port) : 0; }
void SocketAddress::set_port(uint16_t port) { in.sin_port = htons(port); }

bool SocketAddress::is_any() const {
  if (family() == AF_INET) return in.sin_addr.s_addr == INADDR_ANY;
  return family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr);
}
bool SocketAddress::is_for_many() const {
  if (family() == AF_INET6) return IN6_IS_ADDR_MULTICAST(&in6.sin6_addr);
  const uint32_t host = ntohl(in.sin_addr.s_addr);
  return family() == AF_INET && (IN_MULTICAST(host) || host == INADDR_BROADCAST);
}
bool SocketAddress::is_gone() const {
  const std::string file = path();
  return !file.empty() && file[0] != '\0' && access(file.c_str(), F_OK) != 0;
}

SocketAddress SocketAddress::as(int wanted) const {
  if (wanted == family()) return *this;
  SocketAddress a = none(wanted);
  a.set_port(port());
  if (wanted == AF_INET6 && family() == AF_INET) {
    memcpy(a.in6.sin6_addr.s6_addr, kMapped, sizeof kMapped);
    memcpy(a.in6.sin6_addr.s6_addr + sizeof kMapped, &in.sin_addr, sizeof in.sin_addr);
  } else if (wanted == AF_INET && family() == AF_INET6) {
    if (!IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr)) return *this;
    memcpy(&a.in.sin_addr, in6.sin6_addr.s6_addr + sizeof kMapped, sizeof in.sin_addr);
  }
  return a;
}

bool SocketAddress::operator==(const SocketAddress& o) const {
  if (family() != o.family()) return false;
  if (family() == AF_INET)
    return in.sin_port == o.in.sin_port && in.sin_addr.s_addr == o.in.sin_addr.s_addr;
  if (family() == AF_INET6)
    return in6.sin6_port == o.in6.sin6_port && IN6_ARE_ADDR_EQUAL(&in6.sin6_addr, &o.in6.sin6_addr);
  return size == o.size && memcmp(&storage, &o.storage, size) == 0;
}

/// One that begins with a zero is in no directory, and all its bytes count.
std::string SocketAddress::path() const {
  if (family() != AF_UNIX || size <= kPathAt) return "";
  const size_t n = std::min<size_t>(size, sizeof local) - kPathAt;
  return {local.sun_path, local.sun_path[0] ? strnlen(local.sun_path, n) : n};
}

std::string SocketAddress::text() const {
  char host[INET6_ADDRSTRLEN] = "";
  switch (family()) {
    case AF_INET:
      inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
      return fmt::format("{}:{}", host, port());
    case AF_INET6:
      inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof host);
      return fmt::format("[{}]:{}", host, port());
    case AF_UNIX: {
      std::string name = path();
      if (name.empty()) return "a local socket without a name";
      std::ranges::replace(name, '\0', '@');
      return name;
    }
    default:
      return fmt::format("family {}", family());
  }
}

}  // namespace wb
