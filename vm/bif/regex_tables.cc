// What a character below 256 is to a pattern: OTP's tables are those of ISO 8859-1, where PCRE2's
// know letters of ASCII only. Both count for bytes, and for such characters in UTF-8 without `ucp`.
//
// The layout of tables is PCRE2's (pcre2_dftables writes it to files): lower case, other case, bit
// maps of the classes, kinds. Letters get what 'z' or 'Z' have there.
#include "vm/bif/regex_tables.h"

#include "vm/bif/regex.h"

namespace wb {
namespace {

constexpr size_t kLower = 0, kFlip = 256, kMaps = 512, kKinds = 832, kSize = 1088;
/// Where the bit maps begin, from kMaps on.
enum Map : size_t {
  space = 0,
  xdigit = 32,
  digit = 64,
  upper = 96,
  lower = 128,
  word = 160,
  graph = 192,
  print = 224,
  punct = 256,
  cntrl = 288
};

class Tables {
 public:
  Tables() {
    const uint8_t* plain = pcre2_maketables(nullptr);
    memcpy(bytes_, plain, kSize);
    pcre2_maketables_free(nullptr, plain);
    for (int c = 128; c < 160; ++c) put(cntrl, c);
    for (int c = 160; c < 256; ++c) {
      put(graph, c), put(print, c);
      if (is_upper(c))
        letter(c, upper, 'Z');
      else if (is_lower(c))
        letter(c, lower, 'z');
      else
        put(punct, c);
    }
    for (int c = 192; c < 223; ++c) {
      if (is_upper(c)) pair(c, c + 32);
    }
  }
  const uint8_t* bytes() const { return bytes_; }

 private:
  static bool is_upper(int c) { return c >= 192 && c <= 222 && c != 215; }
  static bool is_lower(int c) { return (c >= 223 && c != 247) || c == 170 || c == 181 || c == 186; }
  void put(Map map, int c) { bytes_[kMaps + map + c / 8] |= 1 << (c % 8); }
  void letter(int c, Map map, char like) {
    put(map, c), put(word, c);
    bytes_[kKinds + c] = bytes_[kKinds + like];
  }
  void pair(int up, int low) {
    bytes_[kLower + up] = static_cast<uint8_t>(low);
    bytes_[kFlip + up] = static_cast<uint8_t>(low), bytes_[kFlip + low] = static_cast<uint8_t>(up);
  }
  uint8_t bytes_[kSize];
};

}  // namespace

const uint8_t* latin1_tables() {
  static const Tables tables;
  return tables.bytes();
}

}  // namespace wb
