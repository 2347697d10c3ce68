// Where a packet ends in a stream of bytes: the framings of erlang:decode_packet/3 and of sockets'
// option {packet, Type}. No terms are made here, so that I/O can use it on its buffers.
#pragma once

#include "base/base.h"

namespace wb {

enum class PacketType : uint8_t {
  raw,
  one,
  two,
  four,
  asn1,
  cdr,
  sunrm,
  fcgi,
  tpkt,
  line,
  http,
  http_header,
  ssl_tls
};

struct PacketOptions {
  uint32_t max_size = 0;     ///< of the body (of the line, for lines and HTTP); 0: no limit
  uint32_t line_length = 0;  ///< longer lines are cut; 0: no limit
  uint8_t delimiter = '\n';
  bool buffered = true;  ///< in a buffer of that size: what comes behind it will not be seen
};

struct PacketFrame {
  enum Status : uint8_t { complete, more, invalid } status = more;
  size_t total = 0;    ///< bytes of the stream; with `more`: how many are needed, 0: not known yet
  size_t head = 0;     ///< bytes in front that are not part of what the program gets
  size_t padding = 0;  ///< the same behind
};

PacketFrame find_packet(PacketType type, const uint8_t* bytes, size_t n,
                        const PacketOptions& options);

}  // namespace wb
