#include "vm/port/socket_options.h"

#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "vm/io/network.h"
#include "vm/port/beside.h"
#include "vm/port/inet_address.h"

namespace wb {
namespace {

enum class Families : uint8_t { any, stream, four, six };

struct SystemOption {
  uint8_t number;
  Families families;
  int level, option;
  bool strict;
};
constexpr SystemOption kSystemOptions[] = {
#define SYSTEM_OPTION(number, name, families, level, option, strict) \
  {number, Families::families, level, option, strict},
#include "vm/port/socket_options.def"
};

bool suits(Families f, const SocketHandle& s) {
  switch (f) {
    case Families::any:
      return true;
    case Families::stream:
      return s.stream;
    case Families::four:
      return s.family != AF_INET6;
    case Families::six:
      return s.family == AF_INET6;
  }
  return false;
}
bool names_system_option(uint8_t number) {
  for (const SystemOption& o : kSystemOptions)
    if (o.number == number) return true;
  return false;
}
const SystemOption* find_system_option(uint8_t number, const SocketHandle& s) {
  for (const SystemOption& o : kSystemOptions)
    if (o.number == number && suits(o.families, s)) return &o;
  return nullptr;
}

bool set_system(int fd, int level, int option, const void* value, size_t size) {
  return set_option(fd, level, option, value, static_cast<socklen_t>(size)) == 0;
}

// --- setting
class Setter {
 public:
  Setter(const SocketHandle& s, SocketOptions* o, std::string_view in) : s_(s), o_(*o), in_(in) {}

  OptionChanges run() {
    while (changes_.ok && !in_.empty()) {
      uint8_t number;
      int32_t value;
      changes_.ok = take_byte(&in_, &number) && take_int(&in_, &value);
      if (changes_.ok) changes_.ok = one(number, value);
    }
    return changes_;
  }

 private:
  bool one(uint8_t number, int32_t value) {
    if (names_system_option(number)) return system(number, value);
    switch (static_cast<SocketOption>(number)) {
      case SocketOption::linger:
        return linger(value);
      case SocketOption::multicast_if:
        return multicast_if(value);
      case SocketOption::add_membership:
      case SocketOption::drop_membership:
        return membership(number == static_cast<uint8_t>(SocketOption::add_membership), value);
      case SocketOption::raw:
        return raw(value);
      case SocketOption::bind_to_device:
        return bind_to_device(value);
      case SocketOption::netns:
        return net_namespace(value);
      case SocketOption::active:
        return active(value);
      case SocketOption::packet:
        changes_.packet = true;
        return o_.set_packet(static_cast<uint8_t>(value));
      default:
        return local(static_cast<SocketOption>(number), value);
    }
  }

  bool system(uint8_t number, int32_t value) {
    const SystemOption* o = find_system_option(number, s_);
    if (!o) return true;
    bool done = set_system(s_.fd, o->level, o->option, &value, sizeof value);
    bool size = number == static_cast<uint8_t>(SocketOption::recbuf);
    // A datagram has no more than that.
    if (!s_.stream) value = std::min(value, 65536);
    if (done && size && value > 0) o_.buffer = std::max(o_.buffer, static_cast<uint32_t>(value));
    return done || !o->strict;
  }

  bool linger(int32_t on) {
    int32_t seconds;
    if (!take_int(&in_, &seconds)) return false;
    ::linger l = {on, seconds};
    set_system(s_.fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
    return true;
  }
  // --- what BEAM does not check: the system may refuse it, and nobody hears of it
  bool multicast_if(int32_t which) {
    auto bits = htonl(static_cast<uint32_t>(which));
    if (s_.family == AF_INET6)
      set_system(s_.fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &which, sizeof which);
    else
      set_system(s_.fd, IPPROTO_IP, IP_MULTICAST_IF, &bits, sizeof bits);
    return true;
  }
  bool membership(bool add, int32_t family) {
    int32_t interface;
    std::string_view group, address;
    if (!take_int(&in_, &interface)) return false;
    if (system_family(static_cast<uint8_t>(family)) == AF_INET6) {
      ipv6_mreq m = {};
      if (!take_bytes(&in_, 16, &group)) return false;
      memcpy(&m.ipv6mr_multiaddr, group.data(), 16);
      m.ipv6mr_interface = static_cast<unsigned>(interface);
      set_system(s_.fd, IPPROTO_IPV6, add ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP, &m, sizeof m);
      return true;
    }
    ip_mreqn m = {};
    if (!take_bytes(&in_, 4, &group) || !take_bytes(&in_, 4, &address)) return false;
    memcpy(&m.imr_multiaddr, group.data(), 4);
    memcpy(&m.imr_address, address.data(), 4);
    m.imr_ifindex = interface;
    set_system(s_.fd, IPPROTO_IP, add ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &m, sizeof m);
    return true;
  }
  bool raw(int32_t level) {
    int32_t option, size;
    std::string_view value;
    if (!take_int(&in_, &option) || !take_int(&in_, &size) || size < 0) return false;
    if (!take_bytes(&in_, static_cast<size_t>(size), &value)) return false;
    set_system(s_.fd, level, option, value.data(), value.size());
    return true;
  }
  bool bind_to_device(int32_t size) {
    std::string_view name;
    if (size < 0 || !take_bytes(&in_, static_cast<size_t>(size), &name)) return false;
    return set_system(s_.fd, SOL_SOCKET, SO_BINDTODEVICE, name.data(), name.size());
  }
  bool net_namespace(int32_t size) {
    std::string_view name;
    if (size < 0 || !take_bytes(&in_, static_cast<size_t>(size), &name)) return false;
    if (name.find('\0') != name.npos) return false;
    o_.netns = name;
    return true;
  }

  bool active(int32_t value) {
    if (value < 0 || value > static_cast<int32_t>(Active::multi)) return false;
    auto how = static_cast<Active>(value);
    int count = 0;
    if (how == Active::multi) {
      std::string_view n;
      if (!take_bytes(&in_, 2, &n)) return false;
      count = static_cast<int16_t>(static_cast<uint8_t>(n[0]) << 8 | static_cast<uint8_t>(n[1]));
      count += o_.active_count;
      if (count > INT16_MAX || count < INT16_MIN) return false;
      count = std::max(count, 0);
      changes_.now_passive = count == 0;
      if (count == 0) how = Active::passive;
    }
    o_.active = how;
    o_.active_count = static_cast<int16_t>(count);
    changes_.activity = true;
    return true;
  }

  bool local(SocketOption option, int32_t value) {
    auto n = static_cast<uint32_t>(value);
    switch (option) {
      case SocketOption::buffer:
        o_.buffer = static_cast<uint32_t>(std::max(value, 1));
        return true;
      case SocketOption::header:
        o_.header = n;
        return true;
      case SocketOption::mode:
        o_.binary = n == 1;
        return true;
      case SocketOption::deliver:
        o_.deliver_as_port = n == 0;
        return true;
      case SocketOption::exit_on_close:
        o_.exit_on_close = n;
        return true;
      case SocketOption::high_watermark:
        o_.high = n;
        o_.low = s_.stream ? std::min(o_.low, n) : o_.low;
        return true;
      case SocketOption::low_watermark:
        o_.low = n;
        o_.high = std::max(o_.high, n);
        return true;
      case SocketOption::high_msgq_watermark:
        o_.high_msgq = n;
        o_.low_msgq = std::min(o_.low_msgq, n);
        return value > 0;
      case SocketOption::low_msgq_watermark:
        o_.low_msgq = n;
        o_.high_msgq = std::max(o_.high_msgq, n);
        return value > 0;
      case SocketOption::send_timeout:
        o_.send_timeout = n;
        return true;
      case SocketOption::send_timeout_close:
        o_.send_timeout_close = n;
        return true;
      case SocketOption::delay_send:
        o_.delay_send = n;
        return true;
      case SocketOption::packet_size:
        o_.packet_size = n;
        return true;
      case SocketOption::read_packets:
        if (value > 0) o_.read_packets = n;
        return value > 0 || s_.stream;
      case SocketOption::show_econnreset:
        o_.show_econnreset = n;
        return true;
      case SocketOption::line_delimiter:
        o_.delimiter = static_cast<uint8_t>(n);
        return true;
      case SocketOption::debug:
        o_.debug = n;
        return true;
      case SocketOption::read_ahead:
        o_.read_ahead = n;
        return true;
      case SocketOption::non_block_send:  // a send never blocks here
        return true;
      default:
        return false;
    }
  }

  const SocketHandle& s_;
  SocketOptions& o_;
  std::string_view in_;
  OptionChanges changes_;
};

// --- asking
class Getter {
 public:
  Getter(const SocketHandle& s, const SocketOptions& o, std::string_view in, std::string* out)
      : s_(s), o_(o), in_(in), out_(*out) {}

  bool run() {
    while (!in_.empty()) {
      take_byte(&in_, &number_);
      if (!one()) return false;
    }
    return true;
  }

 private:
  void put(uint32_t value) {
    out_ += static_cast<char>(number_);
    put_int(&out_, value);
  }
  template <class T>
  bool ask(int level, int option, T* value) {
    socklen_t size = sizeof *value;
    return ask_option(s_.fd, level, option, value, &size) == 0;
  }

  bool one() {
    if (names_system_option(number_)) {
      const SystemOption* o = find_system_option(number_, s_);
      int value = 0;
      if (o && ask(o->level, o->option, &value)) put(static_cast<uint32_t>(value));
      return true;
    }
    switch (static_cast<SocketOption>(number_)) {
      case SocketOption::linger: {
        ::linger l;
        if (!ask(SOL_SOCKET, SO_LINGER, &l)) return true;
        put(l.l_onoff != 0);
        put_int(&out_, static_cast<uint32_t>(l.l_linger));
        return true;
      }
      case SocketOption::multicast_if:
        return multicast_if();
      case SocketOption::raw:
        return raw();
      case SocketOption::bind_to_device: {
        char name[IFNAMSIZ] = {};
        if (!ask(SOL_SOCKET, SO_BINDTODEVICE, &name)) return true;
        put(static_cast<uint32_t>(strnlen(name, sizeof name)));
        out_.append(name, strnlen(name, sizeof name));
        return true;
      }
      case SocketOption::pktoptions:
        return packet_options();
      case SocketOption::netns:
        put(static_cast<uint32_t>(o_.netns.size()));
        out_ += o_.netns;
        return true;
      case SocketOption::active:
        put(static_cast<uint32_t>(o_.active));
        if (o_.active == Active::multi) put_short(&out_, static_cast<uint16_t>(o_.active_count));
        return true;
      default:
        return local();
    }
  }
  /// What came beside the last packet of a TCP socket, as options of their own.
  bool packet_options() {
    if (!s_.stream || s_.family == AF_UNIX || s_.fd < 0) return true;
    alignas(cmsghdr) char room[256];
    socklen_t size = sizeof room;
    // IPV6_2292PKTOPTIONS, which only the kernel's header has.
    constexpr int kIpv6PacketOptions = 6;
    const bool six = s_.family == AF_INET6;
    const int failed = six ? ask_option(s_.fd, IPPROTO_IPV6, kIpv6PacketOptions, room, &size)
                           : ask_option(s_.fd, IPPROTO_IP, IP_PKTOPTIONS, room, &size);
    std::string options;
    if (!failed) {
      msghdr m = {};
      m.msg_control = room, m.msg_controllen = size;
      each_beside(m, [&](const Beside& b, int value) {
        options += static_cast<char>(b.option);
        put_int(&options, static_cast<uint32_t>(value));
      });
    }
    put(static_cast<uint32_t>(options.size()));
    out_ += options;
    return true;
  }
  bool multicast_if() {
    uint32_t which = 0;
    bool six = s_.family == AF_INET6;
    bool known = six ? ask(IPPROTO_IPV6, IPV6_MULTICAST_IF, &which)
                     : ask(IPPROTO_IP, IP_MULTICAST_IF, &which);
    if (!known) return true;
    put(six ? which : ntohl(which));
    put_int(&out_, family_code(six ? AF_INET6 : AF_INET));
    return true;
  }
  /// Asked with the value's size, or with a value to begin with.
  bool raw() {
    int32_t level, option, size;
    uint8_t with_value;
    if (!take_int(&in_, &level) || !take_int(&in_, &option)) return false;
    if (!take_byte(&in_, &with_value) || !take_int(&in_, &size)) return false;
    constexpr int32_t kLargest = 4096;
    if (size < 0 || size > kLargest) return false;
    std::string value(static_cast<size_t>(size), 0);
    std::string_view first;
    if (with_value) {
      if (!take_bytes(&in_, value.size(), &first)) return false;
      value = first;
    }
    auto room = static_cast<socklen_t>(value.size());
    if (ask_option(s_.fd, level, option, value.data(), &room) != 0) return true;
    put(static_cast<uint32_t>(level));
    put_int(&out_, static_cast<uint32_t>(option));
    put_int(&out_, room);
    out_.append(value, 0, room);
    return true;
  }

  bool local() {
    const bool stream = s_.stream;
    switch (static_cast<SocketOption>(number_)) {
      case SocketOption::buffer:
        return put(o_.buffer), true;
      case SocketOption::header:
        return put(o_.header), true;
      case SocketOption::packet:
        return put(o_.packet), true;
      case SocketOption::mode:
        return put(o_.binary), true;
      case SocketOption::deliver:
        return put(!o_.deliver_as_port), true;
      case SocketOption::exit_on_close:
        return put(o_.exit_on_close), true;
      case SocketOption::high_msgq_watermark:
        return put(o_.high_msgq), true;
      case SocketOption::low_msgq_watermark:
        return put(o_.low_msgq), true;
      case SocketOption::packet_size:
        return put(o_.packet_size), true;
      case SocketOption::debug:
        return put(o_.debug), true;
      case SocketOption::read_ahead:
        return stream ? put(o_.read_ahead) : void(), true;
      case SocketOption::non_block_send:
        return put(false), true;
      case SocketOption::read_packets:
        if (!stream) put(o_.read_packets);
        return true;
      case SocketOption::high_watermark:
        return stream ? put(o_.high) : void(), true;
      case SocketOption::low_watermark:
        return stream ? put(o_.low) : void(), true;
      case SocketOption::send_timeout:
        return stream ? put(o_.send_timeout) : void(), true;
      case SocketOption::send_timeout_close:
        return stream ? put(o_.send_timeout_close) : void(), true;
      case SocketOption::delay_send:
        return stream ? put(o_.delay_send) : void(), true;
      case SocketOption::show_econnreset:
        return stream ? put(o_.show_econnreset) : void(), true;
      default:
        return false;
    }
  }

  const SocketHandle& s_;
  const SocketOptions& o_;
  std::string_view in_;
  std::string& out_;
  uint8_t number_ = 0;
};

}  // namespace

bool SocketOptions::set_packet(uint8_t number) {
  struct Kind {
    PacketType type;
    bool binaries = false;
  };
  // ORDER: TCP_PB_* of inet_int.hrl.
  constexpr Kind kKinds[] = {
      {PacketType::raw},     {PacketType::one},        {PacketType::two},
      {PacketType::four},    {PacketType::asn1},       {PacketType::sunrm},
      {PacketType::cdr},     {PacketType::fcgi},       {PacketType::line},
      {PacketType::tpkt},    {PacketType::http},       {PacketType::http_header},
      {PacketType::ssl_tls}, {PacketType::http, true}, {PacketType::http_header, true}};
  if (number >= std::size(kKinds)) return false;
  packet = number;
  type = kKinds[number].type;
  http_binaries = kKinds[number].binaries;
  in_headers = type == PacketType::http_header;
  return true;
}

OptionChanges set_socket_options(const SocketHandle& s, SocketOptions* o, std::string_view in) {
  return Setter(s, o, in).run();
}
bool get_socket_options(const SocketHandle& s, const SocketOptions& o, std::string_view in,
                        std::string* out) {
  return Getter(s, o, in, out).run();
}

}  // namespace wb
