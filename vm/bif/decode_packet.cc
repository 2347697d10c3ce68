// erlang:decode_packet/3.
#include "term/binary.h"
#include "vm/bif/bif.h"
#include "vm/io/packet.h"
#include "vm/io/packet_http.h"

namespace wb {

namespace {
struct Wanted {
  PacketType type;
  bool binaries = false;
};

bool packet_type(Term t, Wanted* w) {
  static constexpr struct {
    Term name;
    Wanted wanted;
  } kTypes[] = {
      {am::raw, {PacketType::raw}},
      {make_small(0), {PacketType::raw}},
      {make_small(1), {PacketType::one}},
      {make_small(2), {PacketType::two}},
      {make_small(4), {PacketType::four}},
      {am::asn1, {PacketType::asn1}},
      {am::cdr, {PacketType::cdr}},
      {am::sunrm, {PacketType::sunrm}},
      {am::fcgi, {PacketType::fcgi}},
      {am::tpkt, {PacketType::tpkt}},
      {am::line, {PacketType::line}},
      {am::http, {PacketType::http}},
      {am::httph, {PacketType::http_header}},
      {am::http_bin, {PacketType::http, true}},
      {am::httph_bin, {PacketType::http_header, true}},
      {am::ssl_tls, {PacketType::ssl_tls}},
  };
  for (const auto& k : kTypes) {
    if (k.name != t) continue;
    *w = k.wanted;
    return true;
  }
  return false;
}

bool packet_options(Term list, PacketType type, PacketOptions* o) {
  for (; is_cons(list); list = tail(list)) {
    if (!is_tuple_of(head(list), 2)) return false;
    Term key = tuple_elements(head(list))[0], value = tuple_elements(head(list))[1];
    if (!is_small(value) || small_value(value) < 0 || small_value(value) > UINT32_MAX) return false;
    uint32_t v = static_cast<uint32_t>(small_value(value));
    if (key == am::packet_size)
      o->max_size = v;
    else if (key == am::line_length)
      o->line_length = v;
    else if (key == am::line_delimiter && v <= 255 && type == PacketType::line)
      o->delimiter = static_cast<uint8_t>(v);
    else
      return false;
  }
  return is_nil(list);
}

Term tls_record(Heap& h, const uint8_t* p, size_t n) {
  if ((p[0] & 0x80) && p[2] == 1) {  // a version 2 hello, said as a version 3 one
    size_t body = n - 3;
    uint8_t* to;
    Term hello = new_bytes(h, body + 4, &to);
    if (is_fault(hello)) return hello;
    to[0] = 1;
    to[1] = 0;
    to[2] = static_cast<uint8_t>(body >> 8);
    to[3] = static_cast<uint8_t>(body);
    memcpy(to + 4, p + 3, body);
    Term version = tuple(h, make_small(p[3]), make_small(p[4]));
    return tuple(h, am::ssl_tls, kNil, make_small(22), version, hello);
  }
  Term version = tuple(h, make_small(p[1]), make_small(p[2]));
  return tuple(h, am::ssl_tls, kNil, make_small(p[0]), version, make_binary(h, p + 5, n - 5));
}

Term packet_term(Heap& h, const Wanted& w, Term bin, const uint8_t* p, const PacketFrame& f) {
  std::string_view text(reinterpret_cast<const char*>(p), f.total);
  switch (w.type) {
    case PacketType::http:
      return http_first_line(h, text, w.binaries);
    case PacketType::http_header:
      return http_header_line(h, text, w.binaries);
    case PacketType::ssl_tls:
      return tls_record(h, p, f.total);
    default:
      return sub_bitstring(h, bin, f.head * 8, (f.total - f.head - f.padding) * 8);
  }
}
}  // namespace

BIF(erlang, decode_packet, 3)
{
  Wanted w;
  if (!packet_type(a[0], &w)) return p.badarg(am::badopt);
  if (!is_bitstring(a[1]) || (otp_release() >= 27 && !is_binary(a[1]))) return kBadarg;
  PacketOptions options{.buffered = false};
  if (!packet_options(a[2], w.type, &options)) return kBadarg;
  ByteView v(a[1]);
  PacketFrame f = find_packet(w.type, v.data(), v.size(), options);
  if (f.status == PacketFrame::invalid) return tuple(p.heap, am::error, am::invalid);
  if (f.status == PacketFrame::more) {
    Term needed = f.total ? make_small(static_cast<int64_t>(f.total)) : am::undefined;
    return tuple(p.heap, am::more, needed);
  }
  Term packet = packet_term(p.heap, w, a[1], v.data(), f);
  if (is_fault(packet)) return packet;
  Term rest = sub_bitstring(p.heap, a[1], f.total * 8, bit_size(a[1]) - f.total * 8);
  return tuple(p.heap, am::ok, packet, rest);
}

}  // namespace wb
