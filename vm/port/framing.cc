#include "vm/port/framing.h"

#include <algorithm>
#include <cstring>

namespace wb {

bool add_frame_header(const Framing& f, uint64_t bytes, std::string* out) {
  if (f.mode != Framing::Mode::packet) return true;
  if (bytes >> (8 * f.size)) return false;
  for (uint64_t k = f.size; k-- > 0;) out->push_back(static_cast<char>(bytes >> (8 * k)));
  return true;
}

void Deframer::feed(const uint8_t* bytes, size_t n) {
  switch (f_.mode) {
    case Framing::Mode::stream:
      return emit(FrameEnd::whole, bytes, n);
    case Framing::Mode::line:
      return feed_lines(bytes, n);
    case Framing::Mode::packet:
      return feed_packets(bytes, n);
  }
}

void Deframer::finish() {
  if (f_.mode == Framing::Mode::line) {
    emit_full_lines();
    if (!rest_.empty()) emit_rest(FrameEnd::noeol);
  }
  rest_.clear();
}

void Deframer::emit_rest(FrameEnd frame_end) {
  size_t header = f_.mode == Framing::Mode::packet ? f_.size : 0;
  emit(frame_end, reinterpret_cast<const uint8_t*>(rest_.data()) + header, rest_.size() - header);
  constexpr size_t kWorthKeeping = 64 * 1024;
  if (rest_.capacity() > kWorthKeeping) rest_ = {};
  rest_.clear();
}

/// Lines end with a newline, or with a carriage return and a newline. One that is exactly as long
/// as allowed may still end so: it takes two more bytes to know.
void Deframer::feed_lines(const uint8_t* bytes, size_t n) {
  while (n > 0) {
    size_t look = std::min<size_t>(n, f_.size + 2 - rest_.size());
    auto* newline = static_cast<const uint8_t*>(memchr(bytes, '\n', look));
    size_t take = newline ? static_cast<size_t>(newline - bytes) : look;
    rest_.append(reinterpret_cast<const char*>(bytes), take);
    if (newline) ++take;
    bytes += take, n -= take;
    if (newline && rest_.ends_with('\r')) rest_.pop_back();
    bool may_end_here = rest_.size() == f_.size + 1 && rest_.back() == '\r';
    if (newline || !may_end_here) emit_full_lines();
    if (newline) emit_rest(FrameEnd::eol);
  }
}
/// What is longer than a line may be.
void Deframer::emit_full_lines() {
  while (rest_.size() > f_.size) {
    emit(FrameEnd::noeol, reinterpret_cast<const uint8_t*>(rest_.data()), f_.size);
    rest_.erase(0, f_.size);
  }
}

uint64_t Deframer::packet_length(const void* header) const {
  auto* bytes = static_cast<const uint8_t*>(header);
  uint64_t length = 0;
  for (uint64_t k = 0; k < f_.size; ++k) length = length << 8 | bytes[k];
  return length;
}

void Deframer::feed_packets(const uint8_t* bytes, size_t n) {
  while (n > 0) {
    if (rest_.empty() && n >= f_.size && n - f_.size >= packet_length(bytes)) {
      size_t length = packet_length(bytes);
      emit(FrameEnd::whole, bytes + f_.size, length);
      bytes += f_.size + length, n -= f_.size + length;
      continue;
    }
    size_t want = f_.size;
    if (rest_.size() >= want) want += packet_length(rest_.data());
    size_t take = std::min(n, want - rest_.size());
    rest_.append(reinterpret_cast<const char*>(bytes), take);
    bytes += take, n -= take;
    if (rest_.size() >= f_.size && rest_.size() - f_.size == packet_length(rest_.data())) {
      emit_rest(FrameEnd::whole);
    }
  }
}

}  // namespace wb
