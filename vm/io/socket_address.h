// The address of a socket: a family, and the bytes that the system has for it.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <string>

namespace wb {

struct SocketAddress {
  union {
    sockaddr any;
    sockaddr_in in;
    sockaddr_in6 in6;
    sockaddr_un local;
    sockaddr_storage storage;
  };
  socklen_t size = sizeof(sockaddr_storage);  ///< as asked of the system: what there is room for

  SocketAddress() { storage = {}; }
  SocketAddress(const sockaddr* bytes, socklen_t size);
  static SocketAddress none(int family);  ///< nowhere: any address, port 0

  int family() const { return any.sa_family; }
  bool has_port() const { return family() == AF_INET || family() == AF_INET6; }
  uint16_t port() const;  ///< 0 if it has none
  void set_port(uint16_t port);
  bool is_any() const;
  bool is_for_many() const;  ///< multicast or broadcast
  bool is_gone() const;      ///< a local one whose file is gone
  /// The same in another family: an address of four bytes as one of sixteen, or back if that can
  /// be.
  SocketAddress as(int family) const;
  /// Of the same place; what a flow or scope says beside it does not count.
  bool operator==(const SocketAddress& o) const;
  std::string path() const;  ///< of a local one; empty: without a name
  /// As people write it: 127.0.0.1:80, [::1]:80, a path.
  std::string text() const;
};

}  // namespace wb
