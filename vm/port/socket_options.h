// What can be set of a socket: options of the system's, and those we keep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vm/io/packet.h"

namespace wb {

/// Numbers of inet_int.hrl.
enum class SocketOption : uint8_t {
#define LOCAL_OPTION(number, name) name = number,
#define SYSTEM_OPTION(number, name, families, level, option, strict) name = number,
#include "vm/port/socket_options.def"
};

enum class Active : uint8_t { passive, active, once, multi };

struct SocketOptions {
  static constexpr uint32_t kForEver = ~0u;

  uint32_t buffer = 1460;  ///< at most so much is read at once
  uint32_t header = 0;     ///< bytes in front that are given as a list
  Active active = Active::passive;
  int16_t active_count = 0;  ///< for `multi`: messages until it is passive
  uint8_t packet = 0;        ///< its number, for getopts
  PacketType type = PacketType::raw;
  bool http_binaries = false, in_headers = false;
  bool binary = false, deliver_as_port = false;
  bool exit_on_close = true, send_timeout_close = false, delay_send = false;
  bool show_econnreset = false, debug = false;
  bool read_ahead = true;  ///< kept for who asks: a read takes what there is in any case
  uint8_t delimiter = '\n';
  uint32_t high = 8192, low = 4096, high_msgq = 8192, low_msgq = 4096;
  std::string netns;  ///< a file of /proc/PID/ns: where the socket is made
  uint32_t send_timeout = kForEver, packet_size = 0, read_packets = 5;

  bool is_http() const { return type == PacketType::http || type == PacketType::http_header; }
  PacketType type_now() const {
    return is_http() ? (in_headers ? PacketType::http_header : PacketType::http) : type;
  }
  /// prim_inet's number for {packet, _}; false: there is none such.
  bool set_packet(uint8_t number);
};

struct SocketHandle {
  int fd = -1;  ///< -1: there is none, only local options can be set
  int family = 0;
  bool stream = false;
};

struct OptionChanges {
  bool ok = true;
  bool activity = false;  ///< `active` was set
  bool mode = true;       ///< to something else than it was
  bool was_passive = true;
  bool packet = false;       ///< another way to find packets
  bool now_passive = false;  ///< the count has come to 0: its owner is to be notified
};

/// A list of options and values as prim_inet writes them.
OptionChanges set_socket_options(const SocketHandle& s, SocketOptions* o, std::string_view in);
/// What is asked for, without what this socket does not have. False: malformed.
bool get_socket_options(const SocketHandle& s, const SocketOptions& o, std::string_view in,
                        std::string* out);

}  // namespace wb
