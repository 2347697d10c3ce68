// A compressing or decompressing stream with its queue of input: what module zlib drives.
//
// Only the controlling process touches a stream, so it has no lock. Input is queued whole and
// consumed in pieces of bounded size, each call giving at most one piece of output: the loop is
// in zlib.erl, so a long stream does not hold a scheduler.
#pragma once

#include <zlib.h>

#include <string>

#include "base/base.h"

namespace wb {

class ZlibStream {
 public:
  enum class State : uint8_t { none, deflating, inflating, closed };
  enum class AtEnd : uint8_t {
    error,
    reset,
    cut
  };  ///< what input behind the end of a stream means
  enum class Step : uint8_t { more, finished, need_dictionary, failed };

  ZlibStream() = default;
  ZlibStream(const ZlibStream&) = delete;
  ~ZlibStream() { close(); }

  State state() const { return state_; }
  // All that follow return zlib's codes: Z_OK or an error.
  int start_deflate(int level, int method, int window_bits, int memory_level, int strategy);
  int start_inflate(int window_bits, AtEnd at_end);
  int reset();
  int end();  ///< Z_DATA_ERROR if something is left; the stream is as new
  void close();
  int set_dictionary(const uint8_t* bytes, size_t n);
  int get_dictionary(std::string* out);
  int set_params(int level, int strategy);

  void enqueue(const uint8_t* bytes, size_t n) {
    input_.append(reinterpret_cast<const char*>(bytes), n);
  }
  /// Consumes up to `in` bytes of input, appends up to `room` bytes to *output. failed: *error.
  Step deflate(size_t in, size_t room, int flush, std::string* output, int* error);
  Step inflate(size_t in, size_t room, std::string* output, int* error);

  uint32_t adler() const { return static_cast<uint32_t>(z_.adler); }
  uint32_t crc() const { return crc_; }  ///< of the plain data, for raw streams

 private:
  size_t queued() const { return input_.size() - consumed_; }
  void offer(size_t in, std::string* output, size_t room);
  void take_back(std::string* output, size_t old_size);
  void begin(State state, int window_bits);

  z_stream z_ = {};
  State state_ = State::none;
  AtEnd at_end_ = AtEnd::cut;
  bool raw_ = false, ended_ = false;
  uint32_t crc_ = 0;
  std::string input_, carry_;  ///< carry_: output that set_params had to produce
  size_t consumed_ = 0;
};

}  // namespace wb
