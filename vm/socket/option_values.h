// What Erlang terms the values of options are, and their bytes for the system.
#pragma once

#include "term/fault.h"
#include "term/heap.h"

namespace wb {

#define OPTION_VALUES(V)                                                                          \
  V(boolean)                                                                                      \
  V(integer)                                                                                      \
  V(linger)                                                                                       \
  V(domain)                                                                                       \
  V(type) V(protocol) V(device) V(congestion) V(ip_membership) V(ip_source) V(ip_filter)          \
      V(ip_interface) V(mtu_discover) V(tos) V(packet_options) V(ipv6_membership) V(address_form) \
          V(hops) V(sctp_associnfo) V(sctp_events) V(sctp_initmsg) V(refused)

enum class OptionValue : uint8_t {
#define V(name) name,
  OPTION_VALUES(V)
#undef V
};

struct NumberedOption {
  int level, number;
  OptionValue value;
};
/// Null: there is none.
const NumberedOption* find_socket_option(int level, int number);

/// Answers: ok or {error, posix}; `kBadValue`: that is no value of it; `kRefused`: it cannot be set
/// (or read) at all.
constexpr Term kBadValue = kBadarg;
constexpr Term kRefused = kUndef;
Term set_socket_option(Heap& h, int fd, const NumberedOption& o, Term value);
/// {ok, Value} or {error, posix}.
Term get_socket_option(Heap& h, int fd, const NumberedOption& o);

/// lowdelay ... or a number.
Term tos_term(int tos);
bool read_tos(Term t, int* out);

}  // namespace wb
