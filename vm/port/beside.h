// What can come and go beside a packet (control messages): with a datagram, or kept by a TCP socket
// from what came last.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "term/atom.h"
#include "vm/port/socket_options.h"

namespace wb {

struct Beside {
  Term name;
  SocketOption option;
  int level, sent, received;
};
constexpr Beside kBeside[] = {
    {am::tos, SocketOption::tos, IPPROTO_IP, IP_TOS, IP_TOS},
    {am::ttl, SocketOption::ttl, IPPROTO_IP, IP_TTL, IP_TTL},
    {am::tclass, SocketOption::tclass, IPPROTO_IPV6, IPV6_TCLASS, IPV6_TCLASS},
};

/// Calls f(what, value) for each of these in `m`, in their order.
template <class F>
void each_beside(const msghdr& m, F f) {
  auto& message = const_cast<msghdr&>(m);
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    for (const Beside& b : kBeside) {
      if (c->cmsg_level != b.level || c->cmsg_type != b.received) continue;
      int value = 0;
      memcpy(&value, CMSG_DATA(c), std::min<size_t>(c->cmsg_len - CMSG_LEN(0), sizeof value));
      f(b, value);
    }
  }
}

}  // namespace wb
