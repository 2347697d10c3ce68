// What the system's sockets can do: the tables of which prim_socket makes its own.
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cctype>
#include <optional>
#include <vector>

#include "vm/socket/interface_terms.h"
#include "vm/socket/socket_bif.h"

namespace wb {
namespace {

struct Named {
  const char* name;
  unsigned number;
  int release = 0;  ///< of OTP, from which on it is there
};
constexpr Named kMessageFlags[] = {
#define MESSAGE_FLAG(name, number) {#name, number},
#include "vm/socket/socket_flags.def"
};
constexpr Named kInterfaceFlags[] = {
#define INTERFACE_FLAG(name, number) {#name, number},
#include "vm/socket/socket_flags.def"
};
constexpr Named kRequests[] = {
#define IOCTL_REQUEST(name, number, kind) {#name, number},
#define NEWER_IOCTL_REQUEST(release, name, number, kind) {#name, number, release},
#include "vm/socket/ioctl_requests.def"
};

namespace level_number {
constexpr int socket = -1, ip = IPPROTO_IP, ipv6 = IPPROTO_IPV6, tcp = IPPROTO_TCP,
              udp = IPPROTO_UDP, sctp = IPPROTO_SCTP;
}
struct KnownOption {
  int level;
  const char* name;
  std::optional<int> number;
  int release = 0;  ///< of OTP, from which on it is supported
};
constexpr KnownOption kOptions[] = {
#define SOCKET_OPTION(level, name, number, value) {level_number::level, #name, number},
#define NEWER_OPTION(release, level, name, number, value) \
  {level_number::level, #name, number, release},
#define KNOWN_OPTION(level, name) {level_number::level, #name, std::nullopt},
#include "vm/socket/socket_options.def"
};

template <size_t n>
Term named_list(Heap& h, const Named (&table)[n]) {
  ListBuilder list(h);
  for (const Named& row : table) {
    if (otp_release() < row.release) continue;
    list.add(tuple(h, intern(row.name), make_unsigned(h, row.number)));
  }
  return list.finish();
}

Term level_name(int level) {
  switch (level) {
    case level_number::socket:
      return am::socket;
    case level_number::ip:
      return intern("ip");
    case level_number::ipv6:
      return am::ipv6;
    case level_number::tcp:
      return intern("tcp");
    case level_number::udp:
      return intern("udp");
    default:
      return am::sctp;
  }
}

/// [{socket | Number, [Option | {Option, Number}]}]; since 29 [{Name, Number, Options}].
Term option_list(Heap& h) {
  ListBuilder levels(h);
  for (int level : {level_number::socket, level_number::ip, level_number::ipv6, level_number::tcp,
                    level_number::udp, level_number::sctp}) {
    ListBuilder list(h);
    for (const KnownOption& o : kOptions) {
      if (o.level != level) continue;
      Term name = intern(o.name);
      list.add(o.number && otp_release() >= o.release ? tuple(h, name, make_small(*o.number))
                                                      : name);
    }
    const Term options = list.finish();
    const bool of_socket = level == level_number::socket;
    if (otp_release() >= 29) {
      const int number = of_socket ? SOL_SOCKET : level;
      levels.add(tuple(h, level_name(level), make_small(number), options));
    } else {
      levels.add(tuple(h, of_socket ? am::socket : make_small(level), options));
    }
  }
  return levels.finish();
}

Term protocol_entry(Heap& h, const std::vector<Term>& names, int number) {
  ListBuilder list(h);
  for (Term name : names) list.add(name);
  return tuple(h, list.finish(), make_small(number));
}
/// [{[Name, Alias...], Number}], the system's list and each one's aliases from their ends.
Term protocol_list(Heap& h) {
  Term list = kNil;
  protoent entry, *found;
  std::vector<char> room(8192);
  setprotoent(1);
  while (getprotoent_r(&entry, room.data(), room.size(), &found) == 0 && found) {
    std::vector<Term> names = {intern(entry.p_name)};
    for (char** alias = entry.p_aliases; *alias; ++alias)
      names.insert(names.begin() + 1, intern(*alias));
    list = cons(h, protocol_entry(h, names, entry.p_proto), list);
  }
  endprotoent();
  if (!is_nil(list)) return list;
  // A system without /etc/protocols.
  constexpr Named kUsual[] = {{"ip", 0},   {"icmp", 1},  {"igmp", 2},  {"tcp", 6},
                              {"udp", 17}, {"ipv6", 41}, {"sctp", 132}};
  for (const Named& row : kUsual)
    list = cons(h, protocol_entry(h, {intern(row.name)}, static_cast<int>(row.number)), list);
  return list;
}

}  // namespace

Term interface_flag_terms(Heap& h, unsigned flags) {
  // In the order of their bits.
  ListBuilder list(h);
  for (unsigned bit = 1; bit; bit <<= 1) {
    if (!(flags & bit)) continue;
    for (const Named& row : kInterfaceFlags) {
      if (row.number == bit) list.add(intern(row.name));
    }
  }
  return list.finish();
}

Term text_term(Heap& h, const char* text) {
  return bytes_to_list(h, reinterpret_cast<const uint8_t*>(text), strlen(text));
}

BIF(prim_socket, nif_supports, 0)
{
  ListBuilder list(p.heap);
  for (Term what : {am::sctp, am::ipv6, am::local, am::netns, am::sendfile})
    list.add(tuple(p.heap, what, am::true_));
  return list.finish();
}

BIF(prim_socket, nif_supports, 1)
{
  Heap& h = p.heap;
  if (a[0] == am::options) return option_list(h);
  if (a[0] == am::protocols) return protocol_list(h);
  if (a[0] == am::msg_flags) return named_list(h, kMessageFlags);
  if (a[0] == am::ioctl_flags) return named_list(h, kInterfaceFlags);
  if (a[0] == am::ioctl_requests) return named_list(h, kRequests);
  return kNil;
}

}  // namespace wb
