#include "vm/socket/control_data.h"

#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstring>
#include <optional>

#include "term/binary.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "term/socket_atoms.h"
#include "vm/io/file_names.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/option_values.h"

namespace wb {
namespace {

enum class ControlValue : uint8_t {
  none,
  integer,
  tos,
  timeval,
  packet_info,
  packet_info6,
  address,
  error
};

struct ControlMessage {
  int level, number;
  Term name;
  ControlValue value;
};
constexpr ControlMessage kMessages[] = {
#define CONTROL_MESSAGE(level, number, name, value) {level, number, am::name, ControlValue::value},
#include "vm/socket/control_messages.def"
};

template <class T>
bool take(const uint8_t* data, size_t size, T* out) {
  if (size < sizeof *out) return false;
  memcpy(out, data, sizeof *out);
  return true;
}

// --- what the network said of a packet that did not arrive
// -----------------------------------------
Term origin_term(int origin) {
  switch (origin) {
    case SO_EE_ORIGIN_NONE:
      return am::none;
    case SO_EE_ORIGIN_LOCAL:
      return am::local;
    case SO_EE_ORIGIN_ICMP:
      return am::icmp;
    case SO_EE_ORIGIN_ICMP6:
      return am::icmp6;
    default:
      return make_small(origin);
  }
}
Term unreachable_term(int code) {
  constexpr Term kNames[] = {am::net_unreach,  am::host_unreach, kNone,
                             am::port_unreach, am::frag_needed,  kNone,
                             am::net_unknown,  am::host_unknown};
  return code >= 0 && code < 8 && is_value(kNames[code]) ? kNames[code] : make_small(code);
}
Term unreachable6_term(int code) {
  constexpr Term kNames[] = {am::noroute,      am::adm_prohibited, am::not_neighbour,
                             am::addr_unreach, am::port_unreach,   am::policy_fail,
                             am::reject_route};
  return code >= 0 && code < 7 ? kNames[code] : make_small(code);
}

Term error_value(Heap& h, const uint8_t* data, size_t size) {
  sock_extended_err e;
  if (!take(data, size, &e)) return kNone;
  Term type = make_small(e.ee_type), code = make_small(e.ee_code);
  if (e.ee_origin == SO_EE_ORIGIN_ICMP && e.ee_type == ICMP_DEST_UNREACH)
    type = am::dest_unreach, code = unreachable_term(e.ee_code);
  else if (e.ee_origin == SO_EE_ORIGIN_ICMP && e.ee_type == ICMP_TIME_EXCEEDED)
    type = am::time_exceeded;
  else if (e.ee_origin == SO_EE_ORIGIN_ICMP6 && e.ee_type == ICMP6_DST_UNREACH)
    type = am::dest_unreach, code = unreachable6_term(e.ee_code);
  else if (e.ee_origin == SO_EE_ORIGIN_ICMP6 && e.ee_type == ICMP6_PACKET_TOO_BIG)
    type = am::pkt_toobig;
  else if (e.ee_origin == SO_EE_ORIGIN_ICMP6 && e.ee_type == ICMP6_TIME_EXCEEDED)
    type = am::time_exceeded;
  auto* offender = reinterpret_cast<const sockaddr*>(data + sizeof e);
  Term pairs[] = {am::error,    posix_atom(static_cast<int>(e.ee_errno)),
                  am::origin,   origin_term(e.ee_origin),
                  am::type,     type,
                  am::code,     code,
                  am::info,     make_unsigned(h, e.ee_info),
                  am::data,     make_unsigned(h, e.ee_data),
                  am::offender, address_term(h, offender, size - sizeof e)};
  return map_from_pairs(h, pairs, 7);
}

/// kNone: the bytes are no such value.
Term value_term(Heap& h, ControlValue kind, const uint8_t* data, size_t size) {
  switch (kind) {
    case ControlValue::none:
      return kNone;
    case ControlValue::integer: {
      int n;
      return take(data, size, &n) ? make_small(n) : kNone;
    }
    case ControlValue::tos: {
      int n;
      if (size == 1) return tos_term(data[0]);
      return take(data, size, &n) ? tos_term(n) : kNone;
    }
    case ControlValue::timeval: {
      timeval t;
      if (!take(data, size, &t)) return kNone;
      Term pairs[] = {am::sec, make_integer(h, t.tv_sec), am::usec, make_integer(h, t.tv_usec)};
      return map_from_pairs(h, pairs, 2);
    }
    case ControlValue::packet_info: {
      in_pktinfo i;
      if (!take(data, size, &i)) return kNone;
      Term pairs[] = {am::ifindex,  make_small(i.ipi_ifindex),
                      am::spec_dst, ipv4_term(h, &i.ipi_spec_dst),
                      am::addr,     ipv4_term(h, &i.ipi_addr)};
      return map_from_pairs(h, pairs, 3);
    }
    case ControlValue::packet_info6: {
      in6_pktinfo i;
      if (!take(data, size, &i)) return kNone;
      Term pairs[] = {am::addr, ipv6_term(h, &i.ipi6_addr), am::ifindex,
                      make_small(i.ipi6_ifindex)};
      return map_from_pairs(h, pairs, 2);
    }
    case ControlValue::address:
      return address_term(h, reinterpret_cast<const sockaddr*>(data), size);
    case ControlValue::error:
      return error_value(h, data, size);
  }
  return kNone;
}

bool read_truth_or_int(Term t, int* out) {
  if (t == am::true_ || t == am::false_) return *out = t == am::true_, true;
  return read_int(t, out);
}

template <class T>
bool put(const T& t, std::string* out) {
  out->assign(reinterpret_cast<const char*>(&t), sizeof t);
  return true;
}

/// The bytes of a value; false: it is none.
bool read_value(ControlValue kind, Term t, std::string* out) {
  int n;
  switch (kind) {
    case ControlValue::integer:
      return read_int(t, &n) && put(n, out);
    case ControlValue::tos:
      return read_tos(t, &n) && put(n, out);
    case ControlValue::timeval: {
      timeval v = {};
      int64_t sec, usec;
      if (!is_map(t) || !to_int64(map_get(t, am::sec), &sec) ||
          !to_int64(map_get(t, am::usec), &usec))
        return false;
      v.tv_sec = sec, v.tv_usec = usec;
      return put(v, out);
    }
    case ControlValue::none:
    case ControlValue::packet_info:
    case ControlValue::packet_info6:
    case ControlValue::address:
    case ControlValue::error:
      return false;
  }
  return false;
}

const ControlMessage* find_message(int level, Term type) {
  for (const ControlMessage& m : kMessages) {
    if (m.level == level && m.name == type) return &m;
  }
  return nullptr;
}

/// data => bytes, a number or a truth value.
bool read_data(Term t, std::string* out) {
  int n;
  if (is_bitstring(t)) {
    ByteView bytes(t);
    out->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }
  return read_truth_or_int(t, &n) && put(n, out);
}

bool read_message(Term map, std::string* out) {
  if (!is_map(map)) return false;
  Term level = map_get(map, am::level), type = map_get(map, am::type);
  Term value = map_get(map, am::value), data = map_get(map, am::data);
  cmsghdr head = {};
  if (level == am::socket)
    head.cmsg_level = SOL_SOCKET;
  else if (!is_value(level) || !read_int(level, &head.cmsg_level))
    return false;
  const ControlMessage* known = is_value(type) ? find_message(head.cmsg_level, type) : nullptr;
  if (known)
    head.cmsg_type = known->number;
  else if (!is_value(type) || !read_int(type, &head.cmsg_type))
    return false;
  std::string bytes;
  if (is_value(value) ? !known || !read_value(known->value, value, &bytes)
                      : !is_value(data) || !read_data(data, &bytes))
    return false;
  head.cmsg_len = CMSG_LEN(bytes.size());
  const size_t begin = out->size();
  out->append(reinterpret_cast<const char*>(&head), sizeof head);
  out->resize(begin + CMSG_LEN(0));
  out->append(bytes);
  out->resize(begin + CMSG_SPACE(bytes.size()));
  return true;
}

}  // namespace

bool read_control(Term list, std::string* out) {
  for (; is_cons(list); list = tail(list)) {
    if (!read_message(head(list), out)) return false;
  }
  return is_nil(list);
}

Term control_terms(Heap& h, const void* data, size_t size) {
  ListBuilder list(h);
  msghdr m = {};
  m.msg_control = const_cast<void*>(data);
  m.msg_controllen = size;
  for (cmsghdr* c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
    const uint8_t* bytes = CMSG_DATA(c);
    const uint8_t* end = static_cast<const uint8_t*>(data) + size;
    if (c->cmsg_len < CMSG_LEN(0)) break;
    const size_t n = std::min<size_t>(c->cmsg_len - CMSG_LEN(0), static_cast<size_t>(end - bytes));
    Term level = c->cmsg_level == SOL_SOCKET ? am::socket : make_small(c->cmsg_level);
    Term type = make_small(c->cmsg_type), value = kNone;
    for (const ControlMessage& known : kMessages) {
      if (known.level != c->cmsg_level || known.number != c->cmsg_type) continue;
      type = known.name;
      value = value_term(h, known.value, bytes, n);
      break;
    }
    Term pairs[] = {am::level, level, am::type, type, am::data, make_binary(h, bytes, n),
                    am::value, value};
    list.add(map_from_pairs(h, pairs, is_value(value) ? 4 : 3));
  }
  return list.finish();
}

}  // namespace wb
