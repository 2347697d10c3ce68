// How a port's bytes become messages ({packet, N}, {line, L}, stream), and data become bytes.
//
// What a program sends is cut wherever the pipe cuts it. A Deframer keeps what is not complete yet:
// of a line at most L + 1 bytes, of a packet what has come of it (never what its header promises:
// four bytes must not make us allocate four gigabytes).
#pragma once

#include <cstdint>
#include <string>

namespace wb {

struct Framing {
  enum class Mode : uint8_t { stream, line, packet };
  Mode mode = Mode::stream;
  uint64_t size = 0;  ///< longest line, or bytes of a packet's header (1, 2, 4)
};

/// Appends the header of `bytes` bytes of data; false: they are too many for it.
bool add_frame_header(const Framing& f, uint64_t bytes, std::string* out);

enum class FrameEnd : uint8_t { whole, eol, noeol };

class Deframer {
 public:
  using Sink = void (*)(void* context, FrameEnd, const uint8_t* bytes, size_t n);

  Deframer(const Framing& f, Sink sink, void* context) : f_(f), sink_(sink), context_(context) {}
  void feed(const uint8_t* bytes, size_t n);
  /// There will be no more: the rest of a line counts, an incomplete packet does not.
  void finish();

 private:
  void feed_lines(const uint8_t* bytes, size_t n);
  void emit_full_lines();
  void feed_packets(const uint8_t* bytes, size_t n);
  uint64_t packet_length(const void* header) const;
  void emit(FrameEnd frame_end, const uint8_t* bytes, size_t n) {
    sink_(context_, frame_end, bytes, n);
  }
  void emit_rest(FrameEnd frame_end);

  const Framing f_;
  const Sink sink_;
  void* const context_;
  std::string rest_;  ///< of an incomplete line or packet
};

}  // namespace wb
