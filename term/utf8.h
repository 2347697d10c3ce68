// UTF-8, one character at a time.
#pragma once

#include <string>
#include <string_view>

#include "term/fault.h"
#include "term/heap.h"

namespace wb {

constexpr int kUtf8Invalid = 0;
constexpr int kUtf8Incomplete = -1;

constexpr bool is_code_point(uint32_t c) { return c < 0xd800 || (c > 0xdfff && c <= 0x10ffff); }

/// True for a term that is a code point.
constexpr bool is_character(Term t) {
  return is_small(t) && t <= make_small(0x10ffff) && is_code_point(static_cast<uint32_t>(t >> 4));
}

/// The length in bytes of a character of at most three bytes at p, which is there and *c; 0: look
/// again with utf8_decode().
WB_INLINE int utf8_decode_common(const uint8_t* p, size_t n, uint32_t* c) {
  // The low six bits of a byte that continues; with any other byte, a number above them.
  auto rest = [p](int i) -> uint32_t { return p[i] ^ 0x80u; };
  const uint32_t lead = p[0];
  if (lead < 0x80) {
    *c = lead;
    return 1;
  }
  if (lead < 0xe0) {
    if (lead < 0xc2 || n < 2 || rest(1) >= 64) return 0;
    *c = (lead & 0x1f) << 6 | rest(1);
    return 2;
  }
  if (lead >= 0xf0 || n < 3 || (rest(1) | rest(2)) >= 64) return 0;
  *c = (lead & 0xf) << 12 | rest(1) << 6 | rest(2);
  return *c >= 0x800 && is_code_point(*c) ? 3 : 0;
}

/// Any character, or what is wrong with it: a byte after the other.
WB_NOINLINE inline int utf8_decode_bytewise(const uint8_t* p, size_t n, uint32_t* c) {
  uint8_t lead = p[0];
  int need = (lead & 0xe0) == 0xc0 ? 2 : (lead & 0xf0) == 0xe0 ? 3 : (lead & 0xf8) == 0xf0 ? 4 : 0;
  if (need == 0) return kUtf8Invalid;
  uint32_t v = lead & (0x7f >> need);
  for (int i = 1; i < need; ++i) {
    if (static_cast<size_t>(i) == n) return kUtf8Incomplete;
    if ((p[i] & 0xc0) != 0x80) return kUtf8Invalid;
    v = v << 6 | (p[i] & 0x3f);
  }
  constexpr uint32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  if (v < kFirst[need] || !is_code_point(v)) return kUtf8Invalid;
  *c = v;
  return need;
}

/// Reads one character of the `n` >= 1 bytes at p: its length in bytes, kUtf8Invalid, or
/// kUtf8Incomplete if p ends before the lead byte's number of bytes and none of those there is
/// wrong. (As in OTP, a lead byte that cannot start any character, such as C0, is only found out
/// when all bytes are there.)
WB_INLINE int utf8_decode(const uint8_t* p, size_t n, uint32_t* c) {
  const int length = utf8_decode_common(p, n, c);
  return WB_LIKELY(length != 0) ? length : utf8_decode_bytewise(p, n, c);
}

/// Bytes that a lead byte asks for (1 if it is none).
inline size_t utf8_need(uint8_t lead) {
  return (lead & 0xe0) == 0xc0 ? 2 : (lead & 0xf0) == 0xe0 ? 3 : (lead & 0xf8) == 0xf0 ? 4 : 1;
}

/// Writes `c`; the number of bytes (1..4).
inline size_t utf8_encode(uint32_t c, uint8_t* to) {
  if (c < 0x80) {
    to[0] = static_cast<uint8_t>(c);
    return 1;
  }
  size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; --i, c >>= 6) to[i] = static_cast<uint8_t>(0x80 | (c & 0x3f));
  to[0] = static_cast<uint8_t>((0xf00 >> n) | c);
  return n;
}

/// How many of the n bytes at p, from the first, are below 128.
inline size_t ascii_prefix(const uint8_t* p, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t w;
    memcpy(&w, p + i, 8);
    if (w & 0x8080808080808080) break;
  }
  while (i < n && p[i] < 0x80) ++i;
  return i;
}

// --- text ----------------------------------------------------------------------------------------
inline void append_utf8(std::string& out, uint32_t c) {
  uint8_t bytes[4];
  out.append(reinterpret_cast<const char*>(bytes), utf8_encode(c, bytes));
}

/// Takes the first character off `text`; -1 (and `text` unchanged) if malformed or empty.
inline int32_t take_utf8(std::string_view& text) {
  if (text.empty()) return -1;
  uint32_t c;
  int n = utf8_decode(reinterpret_cast<const uint8_t*>(text.data()), text.size(), &c);
  if (n <= 0) return -1;
  text.remove_prefix(static_cast<size_t>(n));
  return static_cast<int32_t>(c);
}

/// A list of characters; kNone if malformed.
inline Term list_of_utf8(Heap& h, std::string_view text) {
  Term list = kNil;
  Term* link = &list;
  while (!text.empty()) {
    int32_t c = take_utf8(text);
    if (c < 0) return kNone;
    Term* cell = h.alloc(2);
    cell[0] = make_small(c), cell[1] = kNil;
    *link = make_cons(cell);
    link = cell + 1;
  }
  return list;
}

/// UTF-8 as characters, anything else as bytes.
inline Term list_of_text(Heap& h, std::string_view text) {
  Term list = list_of_utf8(h, text);
  if (!is_fault(list)) return list;
  list = kNil;
  for (size_t k = text.size(); k-- > 0;) {
    list = cons(h, make_small(static_cast<uint8_t>(text[k])), list);
  }
  return list;
}

/// Number of characters, or -1 if malformed.
inline int64_t count_utf8(std::string_view text) {
  int64_t n = 0;
  for (; !text.empty(); ++n) {
    if (take_utf8(text) < 0) return -1;
  }
  return n;
}

}  // namespace wb
