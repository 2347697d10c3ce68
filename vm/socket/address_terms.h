// Socket addresses as kernel's `socket` writes them: maps with a family, and what belongs to it.
#pragma once

#include <sys/socket.h>

#include "term/heap.h"

namespace wb {

struct RawAddress {
  union {
    sockaddr any;
    sockaddr_storage room;
  };
  socklen_t size = sizeof(sockaddr_storage);
  RawAddress() : room{} {}
};

/// False: it is none.
bool read_address(Term map, RawAddress* out);
Term address_term(Heap& h, const sockaddr* address, size_t size);

/// any, loopback, broadcast or {A,B,C,D}, in the order of the network.
bool read_ipv4(Term t, void* four_bytes);
Term ipv4_term(Heap& h, const void* four_bytes);
/// any, loopback or a tuple of eight numbers.
bool read_ipv6(Term t, void* sixteen_bytes);
Term ipv6_term(Heap& h, const void* sixteen_bytes);

/// inet, inet6, local, unspec or a number; false: none. And back.
bool read_domain(Term t, int* out);
Term domain_term(int domain);
/// stream, dgram, raw, seqpacket or a number.
bool read_type(Term t, int* out);
Term type_term(int type);

bool read_int(Term t, int* out);  ///< an int of C
bool read_unsigned(Term t, uint32_t* out);

}  // namespace wb
