// Bytes of which long stretches lie in Binaries: those are counted, not copied. What goes to other
// nodes is kept in these from the encoder to the socket, so that the bytes of a large binary are
// first moved by the system.
//
// A Binary that is held does not move (grow_binary wants it to itself), and its used bytes do not
// change.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "term/binary.h"

namespace wb {

class SplicedBytes {
 public:
  /// What is shorter is copied: an entry of its own costs as much.
  static constexpr size_t kLeast = 4096;

  /// Where somebody reads them.
  struct Cursor {
    size_t own = 0;     ///< of our own bytes, so many are done
    size_t splice = 0;  ///< of the splices
    size_t within = 0;  ///< of that splice
    size_t done = 0;    ///< in all
  };

  SplicedBytes() = default;
  explicit SplicedBytes(std::string own) : own_(std::move(own)) {}
  SplicedBytes(SplicedBytes&& other) noexcept { swap(other); }
  SplicedBytes& operator=(SplicedBytes&& other) noexcept {
    SplicedBytes gone(std::move(other));
    swap(gone);
    return *this;
  }
  ~SplicedBytes() { release(); }

  size_t size() const { return own_.size() + elsewhere_; }
  bool empty() const { return size() == 0; }
  /// What was copied; written to by who knows that nothing is spliced in yet behind it.
  std::string& own() { return own_; }
  const std::string& own() const { return own_; }
  size_t memory() const { return own_.capacity() + splices_.capacity() * sizeof(Splice); }

  void clear() {
    constexpr size_t kKept = 256 << 10;
    release();
    splices_.clear();
    own_.capacity() <= kKept ? own_.clear() : void(own_ = std::string());
    elsewhere_ = 0;
  }
  void swap(SplicedBytes& other) noexcept {
    std::swap(own_, other.own_);
    std::swap(splices_, other.splices_);
    std::swap(elsewhere_, other.elsewhere_);
  }

  void append(std::string_view bytes) { own_ += bytes; }
  void splice(Binary* owner, const uint8_t* bytes, size_t n) {
    if (n < kLeast) return append({reinterpret_cast<const char*>(bytes), n});
    owner->retain();
    splices_.push_back({own_.size(), owner, bytes, n});
    elsewhere_ += n;
  }
  void append(const SplicedBytes& other) {
    Cursor all;
    append_some(other, &all, other.size());
  }
  /// The next n bytes of `other`, or those that there are.
  void append_some(const SplicedBytes& other, Cursor* at, size_t n) {
    other.each_piece(at, n, [this](Binary* owner, const uint8_t* bytes, size_t length) {
      owner ? splice(owner, bytes, length) : append({reinterpret_cast<const char*>(bytes), length});
      return true;
    });
  }
  /// The same as plain bytes.
  void copy_some(Cursor* at, size_t n, std::string* out) const {
    each_piece(at, n, [out](Binary*, const uint8_t* bytes, size_t length) {
      out->append(reinterpret_cast<const char*>(bytes), length);
      return true;
    });
  }
  /// f(owner or null, bytes, n) for each piece of the next n bytes, in order, as long as it gives
  /// true: what it does not take is not done.
  template <class F>
  void each_piece(Cursor* at, size_t n, F f) const {
    while (n > 0) {
      const bool last = at->splice == splices_.size();
      const size_t own_end = last ? own_.size() : splices_[at->splice].at;
      if (at->own < own_end) {
        const size_t m = std::min(n, own_end - at->own);
        if (!f(nullptr, reinterpret_cast<const uint8_t*>(own_.data()) + at->own, m)) return;
        at->own += m, at->done += m, n -= m;
      } else if (!last) {
        const Splice& s = splices_[at->splice];
        const size_t m = std::min(n, s.size - at->within);
        if (!f(s.owner, s.bytes + at->within, m)) return;
        at->within += m, at->done += m, n -= m;
        if (at->within == s.size) ++at->splice, at->within = 0;
      } else {
        return;
      }
    }
  }

 private:
  struct Splice {
    size_t at;  ///< before our own byte of this number
    Binary* owner;
    const uint8_t* bytes;
    size_t size;
  };
  void release() {
    for (const Splice& s : splices_) s.owner->release();
  }

  std::string own_;
  std::vector<Splice> splices_;
  size_t elsewhere_ = 0;
};

}  // namespace wb
