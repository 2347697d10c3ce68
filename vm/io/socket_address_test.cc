#include "vm/io/socket_address.h"

#include <arpa/inet.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>

namespace wb {
namespace {

SocketAddress of(int family, const char* host, uint16_t port) {
  SocketAddress a = SocketAddress::none(family);
  void* to = family == AF_INET ? static_cast<void*>(&a.in.sin_addr) : &a.in6.sin6_addr;
  REQUIRE(inet_pton(family, host, to) == 1);
  a.set_port(port);
  return a;
}

SocketAddress local(std::string_view path) {
  SocketAddress a = SocketAddress::none(AF_UNIX);
  memcpy(a.local.sun_path, path.data(), path.size());
  a.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  return a;
}

TEST_CASE("addresses of sockets are text as people write them") {
  CHECK(of(AF_INET, "10.1.2.3", 80).text() == "10.1.2.3:80");
  CHECK(of(AF_INET6, "::1", 8080).text() == "[::1]:8080");
  CHECK(local("/tmp/s").text() == "/tmp/s");
  CHECK(local({"/tmp/s\0", 7}).text() == "/tmp/s");
  CHECK(local({"\0name", 5}).text() == "@name");
  CHECK(local("").text() == "a local socket without a name");
  CHECK(SocketAddress::none(AF_PACKET).text() == "family 17");
}

TEST_CASE("an address of four bytes in sixteen, and back") {
  const SocketAddress four = of(AF_INET, "10.1.2.3", 80), six = four.as(AF_INET6);
  CHECK(six.text() == "[::ffff:10.1.2.3]:80");
  CHECK(six.size == sizeof(sockaddr_in6));
  CHECK(six.as(AF_INET) == four);
  CHECK(of(AF_INET6, "fe80::1", 80).as(AF_INET).family() == AF_INET6);
}

TEST_CASE("addresses are equal by family, host and port") {
  SocketAddress one = of(AF_INET6, "fe80::1", 80), two = one;
  two.in6.sin6_flowinfo = 7;
  CHECK(one == two);
  CHECK_FALSE(one == of(AF_INET6, "fe80::1", 81));
  CHECK_FALSE(one == of(AF_INET6, "fe80::2", 80));
  CHECK_FALSE(of(AF_INET, "0.0.0.0", 80) == of(AF_INET6, "::", 80));
  CHECK(local("/tmp/s") == local("/tmp/s"));
  CHECK_FALSE(local("/tmp/s") == local("/tmp/t"));
}

TEST_CASE("what an address stands for") {
  CHECK(of(AF_INET, "0.0.0.0", 1).is_any());
  CHECK(of(AF_INET6, "::", 1).is_any());
  CHECK_FALSE(local("/tmp/s").is_any());
  CHECK(of(AF_INET, "224.0.0.1", 1).is_for_many());
  CHECK(of(AF_INET, "255.255.255.255", 1).is_for_many());
  CHECK(of(AF_INET6, "ff02::1", 1).is_for_many());
  CHECK_FALSE(of(AF_INET, "10.1.2.3", 1).is_for_many());
  CHECK(local("/tmp/there/is/no/such/socket").is_gone());
  CHECK_FALSE(local("/tmp").is_gone());
  CHECK_FALSE(local({"\0name", 5}).is_gone());
}

}  // namespace
}  // namespace wb
