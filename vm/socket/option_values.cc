#include "vm/socket/option_values.h"

#include <sys/socket.h>

#include <linux/sctp.h>  // wants the above
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <string>
#include <vector>

#include "term/binary.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "term/socket_atoms.h"
#include "vm/io/file_names.h"
#include "vm/io/iolist.h"
#include "vm/io/network.h"
#include "vm/socket/address_terms.h"
#include "vm/socket/control_data.h"

namespace wb {
namespace {

namespace level_number {
constexpr int socket = SOL_SOCKET, ip = IPPROTO_IP, ipv6 = IPPROTO_IPV6, tcp = IPPROTO_TCP,
              udp = IPPROTO_UDP, sctp = IPPROTO_SCTP;
}
constexpr NumberedOption kOptions[] = {
#define SOCKET_OPTION(level, name, number, value) {level_number::level, number, OptionValue::value},
#include "vm/socket/socket_options.def"
};

/// The bytes of a value, for setsockopt.
struct Bytes {
  std::vector<char> data;
  template <class T>
  bool put(const T& t) {
    const char* p = reinterpret_cast<const char*>(&t);
    data.assign(p, p + sizeof t);
    return true;
  }
};

bool read_boolean(Term t, int* out) {
  *out = t == am::true_;
  return t == am::true_ || t == am::false_;
}

struct NamedNumber {
  Term name;
  int number;
};
constexpr NamedNumber kMtuDiscover[] = {{am::want, IP_PMTUDISC_WANT},
                                        {am::dont, IP_PMTUDISC_DONT},
                                        {am::do_, IP_PMTUDISC_DO},
                                        {am::probe, IP_PMTUDISC_PROBE}};
constexpr NamedNumber kTos[] = {{am::lowdelay, IPTOS_LOWDELAY},
                                {am::throughput, IPTOS_THROUGHPUT},
                                {am::reliability, IPTOS_RELIABILITY},
                                {am::mincost, IPTOS_MINCOST}};
template <size_t n>
bool read_named(const NamedNumber (&table)[n], Term t, int* out) {
  for (const NamedNumber& row : table) {
    if (row.name == t) return *out = row.number, true;
  }
  return read_int(t, out);
}
template <size_t n>
Term named_term(const NamedNumber (&table)[n], int number) {
  for (const NamedNumber& row : table) {
    if (row.number == number) return row.name;
  }
  return make_small(number);
}

bool read_linger(Term t, Bytes* out) {
  linger l = {};
  if (t == am::abort) return l.l_onoff = 1, out->put(l);
  if (!is_map(t) || !read_boolean(map_get(t, am::onoff), &l.l_onoff) ||
      !read_int(map_get(t, am::linger), &l.l_linger) || l.l_linger < 0)
    return false;
  return out->put(l);
}
bool read_text(Term t, size_t most, Bytes* out) {
  std::string text;
  if (!is_cons(t) && !is_nil(t)) return false;
  if (!name_bytes(t, &text) || text.size() > most) return false;
  out->data.assign(text.begin(), text.end());
  return true;
}
bool read_membership(Term t, Bytes* out) {
  ip_mreq m = {};
  return is_map(t) && read_ipv4(map_get(t, am::multiaddr), &m.imr_multiaddr) &&
         read_ipv4(map_get(t, am::interface), &m.imr_interface) && out->put(m);
}
bool read_source(Term t, Bytes* out) {
  ip_mreq_source m = {};
  return is_map(t) && read_ipv4(map_get(t, am::multiaddr), &m.imr_multiaddr) &&
         read_ipv4(map_get(t, am::interface), &m.imr_interface) &&
         read_ipv4(map_get(t, am::sourceaddr), &m.imr_sourceaddr) && out->put(m);
}
bool read_filter(Term t, Bytes* out) {
  if (t == am::null) return true;
  ip_msfilter head = {};
  if (!is_map(t) || !read_ipv4(map_get(t, am::multiaddr), &head.imsf_multiaddr) ||
      !read_ipv4(map_get(t, am::interface), &head.imsf_interface))
    return false;
  Term mode = map_get(t, am::mode), list = map_get(t, am::slist);
  if (mode != am::include && mode != am::exclude) return false;
  head.imsf_fmode = mode == am::include ? MCAST_INCLUDE : MCAST_EXCLUDE;
  std::vector<in_addr> sources;
  for (; is_value(list) && is_cons(list); list = tail(list)) {
    in_addr a;
    if (!read_ipv4(wb::head(list), &a)) return false;
    sources.push_back(a);
  }
  if (!is_value(list) || !is_nil(list)) return false;
  head.imsf_numsrc = static_cast<uint32_t>(sources.size());
  constexpr size_t kBefore = offsetof(ip_msfilter, imsf_slist);
  const char* p = reinterpret_cast<const char*>(&head);
  out->data.assign(p, p + kBefore);
  const char* s = reinterpret_cast<const char*>(sources.data());
  out->data.insert(out->data.end(), s, s + sources.size() * sizeof(in_addr));
  return true;
}
bool read_ipv6_membership(Term t, Bytes* out) {
  ipv6_mreq m = {};
  return is_map(t) && read_ipv6(map_get(t, am::multiaddr), &m.ipv6mr_multiaddr) &&
         read_unsigned(map_get(t, am::interface), &m.ipv6mr_interface) && out->put(m);
}
bool read_hops(Term t, Bytes* out) {
  int n = -1;
  if (t != am::default_ && (!read_int(t, &n) || n < 0 || n > 255)) return false;
  return out->put(n);
}

template <class T>
bool read_number(Term map, Term key, T* out) {
  uint32_t n;
  Term t = map_get(map, key);
  if (!is_value(t) || !read_unsigned(t, &n) || n > static_cast<T>(~T{0})) return false;
  *out = static_cast<T>(n);
  return true;
}
bool read_associnfo(Term t, Bytes* out) {
  sctp_assocparams a = {};
  int id;
  if (!is_map(t) || !read_int(map_get(t, am::assoc_id), &id)) return false;
  a.sasoc_assoc_id = id;
  return read_number(t, am::asocmaxrxt, &a.sasoc_asocmaxrxt) &&
         read_number(t, am::number_peer_destinations, &a.sasoc_number_peer_destinations) &&
         read_number(t, am::peer_rwnd, &a.sasoc_peer_rwnd) &&
         read_number(t, am::local_rwnd, &a.sasoc_local_rwnd) &&
         read_number(t, am::cookie_life, &a.sasoc_cookie_life) && out->put(a);
}
bool read_initmsg(Term t, Bytes* out) {
  sctp_initmsg m = {};
  return is_map(t) && read_number(t, am::num_outstreams, &m.sinit_num_ostreams) &&
         read_number(t, am::max_instreams, &m.sinit_max_instreams) &&
         read_number(t, am::max_attempts, &m.sinit_max_attempts) &&
         read_number(t, am::max_init_timeo, &m.sinit_max_init_timeo) && out->put(m);
}
bool read_events(Term t, Bytes* out) {
  sctp_event_subscribe e = {};
  if (!is_map(t)) return false;
  auto flag = [&](Term key, __u8* to, bool must) {
    Term v = map_get(t, key);
    int on = 0;
    if (!is_value(v)) return !must;
    if (!read_boolean(v, &on)) return false;
    *to = static_cast<__u8>(on);
    return true;
  };
  return flag(am::data_io, &e.sctp_data_io_event, true) &&
         flag(am::association, &e.sctp_association_event, true) &&
         flag(am::address, &e.sctp_address_event, true) &&
         flag(am::send_failure, &e.sctp_send_failure_event, true) &&
         flag(am::peer_error, &e.sctp_peer_error_event, true) &&
         flag(am::shutdown, &e.sctp_shutdown_event, true) &&
         flag(am::partial_delivery, &e.sctp_partial_delivery_event, true) &&
         flag(am::adaptation_layer, &e.sctp_adaptation_layer_event, false) &&
         flag(am::sender_dry, &e.sctp_sender_dry_event, false) && out->put(e);
}

/// False: no value of that kind. (What cannot be set does not get here.)
bool read_value(OptionValue kind, Term t, Bytes* out) {
  int n;
  switch (kind) {
    case OptionValue::boolean:
      return read_boolean(t, &n) && out->put(n);
    case OptionValue::integer:
      return read_int(t, &n) && out->put(n);
    case OptionValue::linger:
      return read_linger(t, out);
    case OptionValue::device:
      return read_text(t, 15, out);
    case OptionValue::congestion:
      return read_text(t, 15, out);
    case OptionValue::ip_membership:
      return read_membership(t, out);
    case OptionValue::ip_source:
      return read_source(t, out);
    case OptionValue::ip_filter:
      return read_filter(t, out);
    case OptionValue::ip_interface: {
      in_addr a;
      return read_ipv4(t, &a) && out->put(a);
    }
    case OptionValue::mtu_discover:
      return read_named(kMtuDiscover, t, &n) && out->put(n);
    case OptionValue::tos:
      return read_tos(t, &n) && out->put(n);
    case OptionValue::ipv6_membership:
      return read_ipv6_membership(t, out);
    case OptionValue::address_form:
      return read_domain(t, &n) && out->put(n);
    case OptionValue::hops:
      return read_hops(t, out);
    case OptionValue::sctp_associnfo:
      return read_associnfo(t, out);
    case OptionValue::sctp_events:
      return read_events(t, out);
    case OptionValue::sctp_initmsg:
      return read_initmsg(t, out);
    case OptionValue::domain:
    case OptionValue::type:
    case OptionValue::protocol:
    case OptionValue::packet_options:
    case OptionValue::refused:
      return false;
  }
  return false;
}

bool can_set(OptionValue kind) {
  return kind != OptionValue::domain && kind != OptionValue::type &&
         kind != OptionValue::protocol && kind != OptionValue::packet_options &&
         kind != OptionValue::refused;
}

Term ok(Heap& h, Term value) { return tuple(h, am::ok, value); }

Term associnfo_term(Heap& h, const sctp_assocparams& a) {
  auto n = [&](uint32_t v) { return make_unsigned(h, v); };
  Term pairs[] = {am::assoc_id,
                  make_integer(h, a.sasoc_assoc_id),
                  am::asocmaxrxt,
                  n(a.sasoc_asocmaxrxt),
                  am::number_peer_destinations,
                  n(a.sasoc_number_peer_destinations),
                  am::peer_rwnd,
                  n(a.sasoc_peer_rwnd),
                  am::local_rwnd,
                  n(a.sasoc_local_rwnd),
                  am::cookie_life,
                  n(a.sasoc_cookie_life)};
  return map_from_pairs(h, pairs, 6);
}
Term initmsg_term(Heap& h, const sctp_initmsg& m) {
  Term pairs[] = {am::num_outstreams, make_small(m.sinit_num_ostreams),
                  am::max_instreams,  make_small(m.sinit_max_instreams),
                  am::max_attempts,   make_small(m.sinit_max_attempts),
                  am::max_init_timeo, make_small(m.sinit_max_init_timeo)};
  return map_from_pairs(h, pairs, 4);
}

}  // namespace

Term tos_term(int tos) { return named_term(kTos, tos & 0xff); }
bool read_tos(Term t, int* out) { return read_named(kTos, t, out); }

const NumberedOption* find_socket_option(int level, int number) {
  for (const NumberedOption& o : kOptions) {
    if (o.level == level && o.number == number) return &o;
  }
  return nullptr;
}

Term set_socket_option(Heap& h, int fd, const NumberedOption& o, Term value) {
  if (!can_set(o.value)) return kRefused;
  Bytes bytes;
  if (!read_value(o.value, value, &bytes)) return kBadValue;
  const void* data = bytes.data.empty() ? nullptr : bytes.data.data();
  if (set_option(fd, o.level, o.number, data, static_cast<socklen_t>(bytes.data.size())) != 0)
    return posix_error(h, errno);
  return am::ok;
}

Term get_socket_option(Heap& h, int fd, const NumberedOption& o) {
  alignas(16) char room[2048] = {};
  socklen_t size = sizeof room;
  auto ask = [&](size_t most) {
    size = static_cast<socklen_t>(most);
    return ask_option(fd, o.level, o.number, room, &size) == 0;
  };
  int n = 0;
  auto number = [&] {
    if (!ask(sizeof n)) return false;
    memcpy(&n, room, sizeof n);
    return true;
  };
  switch (o.value) {
    case OptionValue::boolean:
      if (number()) return ok(h, make_bool(n != 0));
      break;
    case OptionValue::integer:
      if (number()) return ok(h, make_small(n));
      break;
    case OptionValue::protocol:
      if (number()) return ok(h, n ? make_small(n) : am::default_);
      break;
    case OptionValue::linger: {
      if (!ask(sizeof(linger))) break;
      linger l;
      memcpy(&l, room, sizeof l);
      Term pairs[] = {am::onoff, make_bool(l.l_onoff != 0), am::linger, make_small(l.l_linger)};
      return ok(h, map_from_pairs(h, pairs, 2));
    }
    case OptionValue::domain:
      if (number()) return ok(h, domain_term(n));
      break;
    case OptionValue::type:
      if (number()) return ok(h, type_term(n));
      break;
    case OptionValue::device:
      if (!ask(16)) break;
      return ok(h, bytes_to_list(h, reinterpret_cast<uint8_t*>(room), strnlen(room, size)));
    case OptionValue::congestion:  // its room without the zero that ends it, as OTP's
      if (!ask(16)) break;
      return ok(h, bytes_to_list(h, reinterpret_cast<uint8_t*>(room), size ? size - 1 : 0));
    case OptionValue::ip_interface:
      if (!ask(sizeof(in_addr))) break;
      return ok(h, ipv4_term(h, room));
    case OptionValue::mtu_discover:
      if (number()) return ok(h, named_term(kMtuDiscover, n));
      break;
    case OptionValue::tos:
      if (number()) return ok(h, tos_term(n));
      break;
    case OptionValue::packet_options:
      if (!ask(sizeof room)) break;
      return ok(h, control_terms(h, room, size));
    case OptionValue::hops:
      if (number()) return ok(h, n == -1 ? am::default_ : make_small(n));
      break;
    case OptionValue::sctp_associnfo: {
      if (!ask(sizeof(sctp_assocparams))) break;
      return ok(h, associnfo_term(h, *reinterpret_cast<sctp_assocparams*>(room)));
    }
    case OptionValue::sctp_initmsg:
      if (!ask(sizeof(sctp_initmsg))) break;
      return ok(h, initmsg_term(h, *reinterpret_cast<sctp_initmsg*>(room)));
    case OptionValue::ip_membership:
    case OptionValue::ip_source:
    case OptionValue::ip_filter:
    case OptionValue::ipv6_membership:
    case OptionValue::address_form:
    case OptionValue::sctp_events:
    case OptionValue::refused:
      return kRefused;
  }
  return posix_error(h, errno);
}

}  // namespace wb
