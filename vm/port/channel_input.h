// Bytes that have come for a channel and make no packet yet. The socket reads straight to where
// they stay; what a packet claims to need gets room only as it comes, twice as much each time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace wb {

class ChannelInput {
 public:
  /// Some fragments of the distribution, with what is around them.
  static constexpr size_t kUsual = 4 * (64 + 1) * 1024;

  const uint8_t* data() const { return bytes_.get() + begin_; }
  size_t size() const { return end_ - begin_; }
  size_t capacity() const { return capacity_; }

  /// Where to read to, space() bytes, when packets want `need` in all (0: not known).
  uint8_t* room(size_t need) {
    if (size() == 0) begin_ = end_ = 0;
    if (size() == 0 && capacity_ > kUsual) reserve(kUsual);
    if (capacity_ == 0) reserve(kUsual);
    if (end_ == capacity_ || begin_ + need > capacity_) {
      if (begin_ == 0 && end_ == capacity_)
        reserve(2 * capacity_);
      else
        reserve(capacity_);
    }
    return bytes_.get() + end_;
  }
  size_t space() const { return capacity_ - end_; }
  void came(size_t n) { end_ += n; }
  void consume(size_t n) { begin_ += std::min(n, size()); }
  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      uint8_t* to = room(0);
      const size_t n = std::min(space(), bytes.size());
      memcpy(to, bytes.data(), n);
      came(n);
      bytes.remove_prefix(n);
    }
  }
  void clear() { begin_ = end_ = 0; }

 private:
  /// Moves what there is to the front, of this or of another block.
  void reserve(size_t capacity) {
    if (capacity == capacity_) {
      memmove(bytes_.get(), data(), size());
    } else {
      std::unique_ptr<uint8_t[]> other(new uint8_t[capacity]);
      if (size()) memcpy(other.get(), data(), size());
      bytes_ = std::move(other);
      capacity_ = capacity;
    }
    end_ = size();
    begin_ = 0;
  }

  std::unique_ptr<uint8_t[]> bytes_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace wb
