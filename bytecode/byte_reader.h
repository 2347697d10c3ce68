// Reads big-endian numbers from a span that may end at any moment.
//
// A read past the end gives zero and makes the reader fail for good, so that a parser can read a
// whole record and ask ok() once.
#pragma once

#include <span>

#include "base/base.h"

namespace wb {

using Bytes = std::span<const uint8_t>;

class ByteReader {
 public:
  explicit ByteReader(Bytes data) : data_(data) {}

  bool ok() const { return ok_; }
  size_t offset() const { return at_; }
  size_t left() const { return data_.size() - at_; }
  bool at_end() const { return at_ == data_.size(); }

  uint8_t peek() const { return at_end() ? 0 : data_[at_]; }
  uint8_t u8() { return consume(1) ? data_[at_ - 1] : 0; }
  uint16_t u16() { return static_cast<uint16_t>(big_endian(2)); }
  uint32_t u32() { return static_cast<uint32_t>(big_endian(4)); }
  uint64_t u64() { return big_endian(8); }
  Bytes bytes(size_t n) { return consume(n) ? data_.subspan(at_ - n, n) : Bytes{}; }

 private:
  bool consume(size_t n) {
    if (WB_UNLIKELY(!ok_ || n > left())) return ok_ = false;
    at_ += n;
    return true;
  }
  uint64_t big_endian(size_t n) {
    if (!consume(n)) return 0;
    uint64_t v = 0;
    for (size_t i = at_ - n; i < at_; i++) v = v << 8 | data_[i];
    return v;
  }

  Bytes data_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace wb
