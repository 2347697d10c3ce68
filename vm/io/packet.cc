#include "vm/io/packet.h"

#include <algorithm>

namespace wb {

namespace {
constexpr PacketFrame kMore{PacketFrame::more, 0, 0, 0};
constexpr PacketFrame kInvalid{PacketFrame::invalid, 0, 0, 0};

size_t number(const uint8_t* p, int bytes) {
  size_t v = 0;
  for (int i = 0; i < bytes; ++i) v = v << 8 | p[i];
  return v;
}

/// A header of `head` bytes that says how many follow.
PacketFrame counted(size_t head, size_t body, size_t n, const PacketOptions& o) {
  if ((o.max_size && body > o.max_size) || head + body > INT32_MAX) return kInvalid;
  PacketFrame f;
  f.total = head + body;
  f.status = n < f.total ? PacketFrame::more : PacketFrame::complete;
  return f;
}

PacketFrame prefixed(int bytes, const uint8_t* p, size_t n, const PacketOptions& o) {
  size_t head = static_cast<size_t>(bytes);
  if (n < head) return kMore;
  PacketFrame f = counted(head, number(p, bytes), n, o);
  f.head = head;
  return f;
}

// Tag, perhaps of several bytes, then a length, perhaps of several bytes.
PacketFrame asn1(const uint8_t* p, size_t n, const PacketOptions& o) {
  if (n < 2) return kMore;
  size_t at = 1;
  if ((p[0] & 0x1f) == 0x1f) {
    while (at < n && (p[at] & 0x80)) ++at;
    if (++at >= n) return kMore;
  }
  size_t length = p[at++];
  if (length & 0x80) {
    size_t bytes = length & 0x7f;
    if (n - at < bytes) return kMore;
    if (bytes > 4) return kInvalid;
    length = number(p + at, static_cast<int>(bytes));
    at += bytes;
  }
  return counted(at, length, n, o);
}

PacketFrame cdr(const uint8_t* p, size_t n, const PacketOptions& o) {
  if (n < 12) return kMore;
  if (memcmp(p, "GIOP", 4) != 0) return kInvalid;
  bool little = p[6] & 1;
  uint32_t length = static_cast<uint32_t>(number(p + 8, 4));
  return counted(12, little ? __builtin_bswap32(length) : length, n, o);
}

PacketFrame fcgi(const uint8_t* p, size_t n, const PacketOptions& o) {
  if (n < 8) return kMore;
  if (p[0] != 1) return kInvalid;
  PacketFrame f = counted(8, number(p + 4, 2) + p[6], n, o);
  f.padding = p[6];
  return f;
}

PacketFrame tpkt(const uint8_t* p, size_t n, const PacketOptions& o) {
  if (n < 4) return kMore;
  size_t total = number(p + 2, 2);
  if (p[0] != 3 || total < 4) return kInvalid;
  return counted(4, total - 4, n, o);
}

PacketFrame ssl_tls(const uint8_t* p, size_t n, const PacketOptions& o) {
  if (n < 5) return kMore;
  if ((p[0] & 0x80) && p[2] == 1) {  // a client hello of version 2
    size_t length = number(p, 2) & 0x7fff;
    return length < 3 ? kInvalid : counted(5, length - 3, n, o);
  }
  return counted(5, number(p + 3, 2), n, o);
}

PacketFrame whole(size_t total) { return {PacketFrame::complete, total, 0, 0}; }

PacketFrame line(const uint8_t* p, size_t n, const PacketOptions& o) {
  const void* end = memchr(p, o.delimiter, n);
  size_t length = end ? static_cast<size_t>(static_cast<const uint8_t*>(end) - p) + 1 : n;
  if (o.max_size && length > o.max_size) return kInvalid;
  if (o.line_length && length >= o.line_length) return whole(o.line_length);
  return end ? whole(length) : kMore;
}

// One line; a header goes on in the next if that begins with a blank, so it must be seen.
PacketFrame http(const uint8_t* p, size_t n, const PacketOptions& o, bool header) {
  size_t max = o.max_size ? o.max_size : o.line_length;
  if (n > 0 && p[0] == '\n') return whole(1);
  if (n > 1 && p[0] == '\r' && p[1] == '\n') return whole(2);
  for (size_t at = 0;;) {
    const void* end = n > at ? memchr(p + at, '\n', n - at) : nullptr;
    at = end ? static_cast<size_t>(static_cast<const uint8_t*>(end) - p) + 1 : n;
    if (max && (end ? at > max : at >= max)) return kInvalid;
    if (!end) return kMore;
    if (!header) return whole(at);
    if (at == n)
      return o.buffered && max && n >= max ? kInvalid : kMore;  // what decides comes next
    if (p[at] != ' ' && p[at] != '\t') return whole(at);
  }
}
}  // namespace

PacketFrame find_packet(PacketType type, const uint8_t* p, size_t n, const PacketOptions& o) {
  if (n == 0) return kMore;
  switch (type) {
    case PacketType::raw:
      return whole(n);
    case PacketType::one:
      return prefixed(1, p, n, o);
    case PacketType::two:
      return prefixed(2, p, n, o);
    case PacketType::four:
      return prefixed(4, p, n, o);
    case PacketType::asn1:
      return asn1(p, n, o);
    case PacketType::cdr:
      return cdr(p, n, o);
    case PacketType::sunrm:
      return n < 4 ? kMore : counted(4, number(p, 4) & 0x7fffffff, n, o);
    case PacketType::fcgi:
      return fcgi(p, n, o);
    case PacketType::tpkt:
      return tpkt(p, n, o);
    case PacketType::line:
      return line(p, n, o);
    case PacketType::http:
      return http(p, n, o, false);
    case PacketType::http_header:
      return http(p, n, o, true);
    case PacketType::ssl_tls:
      return ssl_tls(p, n, o);
  }
  return kInvalid;
}

}  // namespace wb
