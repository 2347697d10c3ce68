// libFuzzer: any bytes, taken for what comes in from a socket, cut by erlang:decode_packet/3. The
// first three say which type of packet and with what options.
#include "term/binary.h"
#include "tests/fuzz/native_call.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char* const kTypes[] = {"raw",  "1",     "2",        "4",         "asn1",
                                       "cdr",  "sunrm", "fcgi",     "tpkt",      "line",
                                       "http", "httph", "http_bin", "httph_bin", "ssl_tls"};
  if (size < 3) return 0;
  NativeCaller caller;
  Heap& h = caller.process.heap;
  const char* name = kTypes[data[0] % std::size(kTypes)];
  Term type = *name >= '0' && *name <= '9' ? make_small(*name - '0') : intern(name);
  Term options = kNil;
  if (data[1] & 1) options = cons(h, tuple(h, intern("packet_size"), make_small(data[2])), options);
  if (data[1] & 2) options = cons(h, tuple(h, intern("line_length"), make_small(data[2])), options);
  if (data[1] & 4)
    options = cons(h, tuple(h, intern("line_delimiter"), make_small(data[2])), options);
  Term rest = make_binary(h, data + 3, size - 3);
  // Packet after packet, as a program does.
  for (int packets = 0; packets < 100; ++packets) {
    Term result = caller.call("erlang", "decode_packet", {type, rest, options});
    if (!is_value(result) || !is_tuple_of(result, 3) || tuple_elements(result)[0] != am::ok) break;
    rest = tuple_elements(result)[2];
  }
  return 0;
}
