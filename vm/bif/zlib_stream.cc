#include "vm/bif/zlib_stream.h"

#include <algorithm>

namespace wb {

namespace {
Bytef* bytes_of(std::string& s, size_t at) { return reinterpret_cast<Bytef*>(s.data()) + at; }
}  // namespace

void ZlibStream::begin(State state, int window_bits) {
  state_ = state;
  raw_ = window_bits < 0;
  ended_ = false;
  crc_ = 0;
}

int ZlibStream::start_deflate(int level, int method, int window_bits, int memory_level,
                              int strategy) {
  int code = deflateInit2(&z_, level, method, window_bits, memory_level, strategy);
  if (code == Z_OK) begin(State::deflating, window_bits);
  return code;
}

int ZlibStream::start_inflate(int window_bits, AtEnd at_end) {
  int code = inflateInit2(&z_, window_bits);
  if (code != Z_OK) return code;
  begin(State::inflating, window_bits);
  at_end_ = at_end;
  return Z_OK;
}

int ZlibStream::reset() {
  input_.clear();
  carry_.clear();
  consumed_ = 0;
  ended_ = false;
  crc_ = 0;
  return state_ == State::deflating ? deflateReset(&z_) : inflateReset(&z_);
}

int ZlibStream::end() {
  bool left = queued() > 0 || (state_ == State::inflating && !ended_);
  int code = state_ == State::deflating ? deflateEnd(&z_) : inflateEnd(&z_);
  z_ = {};
  input_.clear();
  carry_.clear();
  consumed_ = 0;
  state_ = State::none;
  return code == Z_OK && left ? Z_DATA_ERROR : code;
}

void ZlibStream::close() {
  if (state_ == State::deflating || state_ == State::inflating) end();
  input_.shrink_to_fit();
  state_ = State::closed;
}

int ZlibStream::set_dictionary(const uint8_t* bytes, size_t n) {
  uInt size = static_cast<uInt>(std::min<size_t>(n, UINT32_MAX));
  return state_ == State::deflating ? deflateSetDictionary(&z_, bytes, size)
                                    : inflateSetDictionary(&z_, bytes, size);
}

int ZlibStream::get_dictionary(std::string* out) {
  out->resize(1 << 15);  // the largest window
  uInt n = 0;
  int code = inflateGetDictionary(&z_, bytes_of(*out, 0), &n);
  out->resize(n);
  return code;
}

int ZlibStream::set_params(int level, int strategy) {
  carry_.resize(256);
  z_.next_in = nullptr;
  z_.avail_in = 0;
  z_.next_out = bytes_of(carry_, 0);
  z_.avail_out = static_cast<uInt>(carry_.size());
  int code = deflateParams(&z_, level, strategy);
  carry_.resize(carry_.size() - z_.avail_out);
  return code == Z_BUF_ERROR ? Z_OK : code;  // nothing to flush
}

// --- one piece -----------------------------------------------------------------------------------
void ZlibStream::offer(size_t in, std::string* output, size_t room) {
  z_.next_in = bytes_of(input_, consumed_);
  z_.avail_in = static_cast<uInt>(std::min({in, queued(), size_t{UINT32_MAX}}));
  size_t old = output->size();
  output->resize(old + room);
  z_.next_out = bytes_of(*output, old);
  z_.avail_out = static_cast<uInt>(room);
}

void ZlibStream::take_back(std::string* output, size_t old_size) {
  size_t rest = z_.avail_out;
  consumed_ = static_cast<size_t>(z_.next_in - bytes_of(input_, 0));
  output->resize(output->size() - rest);
  if (state_ == State::inflating && raw_) {
    crc_ = static_cast<uint32_t>(
        ::crc32(crc_, bytes_of(*output, old_size), static_cast<uInt>(output->size() - old_size)));
  }
  if (consumed_ == input_.size()) {
    input_.clear();
    consumed_ = 0;
  }
}

ZlibStream::Step ZlibStream::deflate(size_t in, size_t room, int flush, std::string* output,
                                     int* error) {
  output->append(carry_);
  carry_.clear();
  size_t old_size = output->size();
  if (in < queued()) flush = Z_NO_FLUSH;  // the flush is for the end of the input
  offer(in, output, room);
  const Bytef* from = z_.next_in;
  int code = ::deflate(&z_, flush);
  if (raw_) crc_ = static_cast<uint32_t>(::crc32(crc_, from, static_cast<uInt>(z_.next_in - from)));
  bool full = z_.avail_out == 0, stuck = !full && z_.avail_in > 0 && z_.next_in == from;
  take_back(output, old_size);
  if ((code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) || stuck) {
    *error = stuck ? Z_STREAM_ERROR : code;  // stuck: the stream was finished before
    return Step::failed;
  }
  if (code == Z_STREAM_END) return Step::finished;
  return full || queued() > 0 ? Step::more : Step::finished;
}

ZlibStream::Step ZlibStream::inflate(size_t in, size_t room, std::string* output, int* error) {
  if (ended_ && queued() > 0) {
    if (at_end_ == AtEnd::error) {
      *error = Z_DATA_ERROR;
      return Step::failed;
    }
    if (at_end_ == AtEnd::cut) {
      input_.clear();
      consumed_ = 0;
    } else {
      inflateReset(&z_);
      ended_ = false;
    }
  }
  if (ended_) return Step::finished;
  size_t old_size = output->size();
  offer(in, output, room);
  int code = ::inflate(&z_, Z_NO_FLUSH);
  bool full = z_.avail_out == 0;
  take_back(output, old_size);
  if (code == Z_NEED_DICT) return Step::need_dictionary;
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
    *error = code;
    return Step::failed;
  }
  ended_ = code == Z_STREAM_END;
  return full || queued() > 0 ? Step::more : Step::finished;
}

}  // namespace wb
