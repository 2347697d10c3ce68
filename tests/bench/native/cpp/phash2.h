// erlang:phash2 of small integers, lists and tuples, for programs whose result is a hash
// (term/phash2.cc has all of it).
#pragma once

#include <cstdint>
#include <vector>

class Phash2 {
 public:
  uint32_t value() const { return hash_; }

  /// The head of a tuple, whose elements follow.
  void tuple(uint32_t size) { mix(size, 0, 9); }
  void nil() {
    if (hash_ == 0)
      hash_ = 3468870702u;
    else
      mix(2, 0, 2);
  }
  void number(int64_t v) {
    constexpr int64_t kLimit = 1 << 27;
    if (v >= kLimit || v < -kLimit) {
      uint64_t magnitude = static_cast<uint64_t>(v < 0 ? -v : v);
      mix(static_cast<uint32_t>(magnitude), static_cast<uint32_t>(magnitude >> 32),
          v < 0 ? 10 : 11);
    } else {
      if (v < 0) mix(static_cast<uint32_t>(-v), 0, 1);
      mix(static_cast<uint32_t>(v), 0, 1);
    }
  }
  /// A whole list; bytes in a row go in by fours.
  template <class Number>
  void list(const std::vector<Number>& all) {
    uint32_t bytes = 0;
    int count = 0;
    auto flush = [&] {
      if (count > 0) mix(bytes, 0, 4);
      bytes = count = 0;
    };
    for (int64_t v : all) {
      if (v < 0 || v > 255) {
        flush();
        number(v);
        continue;
      }
      bytes = bytes << 8 | static_cast<uint32_t>(v);
      if (++count == 4) flush();
    }
    flush();
    nil();
  }

 private:
  void mix(uint32_t x, uint32_t y, uint32_t salt) {
    uint32_t a = salt * 0x9e3779b9 + x, b = salt * 0x9e3779b9 + y, c = hash_;
    a = (a - b - c) ^ (c >> 13), b = (b - c - a) ^ (a << 8), c = (c - a - b) ^ (b >> 13);
    a = (a - b - c) ^ (c >> 12), b = (b - c - a) ^ (a << 16), c = (c - a - b) ^ (b >> 5);
    a = (a - b - c) ^ (c >> 3), b = (b - c - a) ^ (a << 10), c = (c - a - b) ^ (b >> 15);
    hash_ = c;
  }

  uint32_t hash_ = 0;
};
