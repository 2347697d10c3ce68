// Bytes of images: values, lists and texts, each at a multiple of eight. What is read is in bounds
// or ends the reading.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace wb {

class ImageWriter {
 public:
  template <class T>
  void value(const T& t) {
    bytes(&t, sizeof t);
  }
  template <class T>
  void list(const T* first, size_t n) {
    value(static_cast<uint64_t>(n));
    bytes(first, n * sizeof(T));
  }
  template <class T>
  void list(const std::vector<T>& v) {
    list(v.data(), v.size());
  }
  void text(std::string_view s) { list(s.data(), s.size()); }
  std::vector<uint8_t> take() { return std::move(out_); }

 private:
  void bytes(const void* from, size_t n) {
    const auto* p = static_cast<const uint8_t*>(from);
    out_.insert(out_.end(), p, p + n);
    out_.resize((out_.size() + 7) / 8 * 8);
  }
  std::vector<uint8_t> out_;
};

/// ok() is false from the first read on that is out of bounds, and all that is read empty.
class ImageReader {
 public:
  explicit ImageReader(std::span<const uint8_t> bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  template <class T>
  T value() {
    T t{};
    if (const uint8_t* p = take(1, sizeof t)) memcpy(&t, p, sizeof t);
    return t;
  }
  template <class T>
  std::span<const T> list() {
    const auto n = value<uint64_t>();
    const uint8_t* p = take(n, sizeof(T));
    return p ? std::span(reinterpret_cast<const T*>(p), n) : std::span<const T>();
  }
  template <class T>
  void list(std::vector<T>* into) {
    const auto all = list<T>();
    into->assign(all.begin(), all.end());
  }
  std::string_view text() {
    auto t = list<char>();
    return {t.data(), t.size()};
  }

 private:
  const uint8_t* take(uint64_t n, size_t size) {
    if (ok_ && n <= rest_.size() / size) {
      const uint8_t* p = rest_.data();
      rest_ = rest_.subspan(std::min<size_t>((n * size + 7) / 8 * 8, rest_.size()));
      return p;
    }
    ok_ = false;
    return nullptr;
  }
  std::span<const uint8_t> rest_;
  bool ok_ = true;
};

}  // namespace wb
