// Integers as text: 64 bits by std::to_chars, bignums by GMP, whose conversion is subquadratic.
// Floats are in float_text.cc.
#include "term/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "term/limbs.h"

namespace wb {

constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

static std::string big_text(Term t, int base) {
  Integer x(t);
  Scratch copy(x.size + 1);  // mpn_get_str destroys what it reads
  memcpy(copy.limbs(), x.limbs, x.size * sizeof(uint64_t));
  std::string digits(mpn_sizeinbase(as_mp(copy.limbs()), x.size, base) + 1, '\0');
  size_t n = mpn_get_str(reinterpret_cast<unsigned char*>(digits.data()), base, as_mp(copy.limbs()),
                         x.size);
  digits.resize(n);
  digits.erase(0, digits.find_first_not_of('\0'));
  for (char& c : digits) c = kDigits[static_cast<unsigned char>(c)];
  if (x.negative) digits.insert(digits.begin(), '-');
  return digits;
}

std::string integer_text(Term t, int base) {
  return is_big(t) ? big_text(t, base) : std::string(SmallText(small_value(t), base).view());
}

SmallText::SmallText(int64_t v, int base) {
  if (base == 10) {
    first_ = buffer_;
    end_ = std::to_chars(buffer_, buffer_ + sizeof buffer_, v).ptr;
    return;
  }
  char* p = buffer_ + sizeof buffer_;
  end_ = p;
  auto rest = static_cast<uint64_t>(v < 0 ? -v : v);
  const auto by = static_cast<unsigned>(base);
  if (base == 16) {  // the usual one
    do *--p = kDigits[rest % 16];
    while (rest /= 16);
  } else {
    do *--p = kDigits[rest % by];
    while (rest /= by);
  }
  if (v < 0) *--p = '-';
  first_ = p;
}

/// Values of digits, or 255.
static constexpr auto kDigitValues = [] {
  std::array<uint8_t, 256> values{};
  for (size_t c = 0; c < values.size(); ++c) {
    const bool digit = c >= '0' && c <= '9', small = c >= 'a' && c <= 'z',
               big = c >= 'A' && c <= 'Z';
    values[c] = static_cast<uint8_t>(digit   ? c - '0'
                                     : small ? c - 'a' + 10
                                     : big   ? c - 'A' + 10
                                             : 255);
  }
  return values;
}();
static uint8_t digit_value(char c) { return kDigitValues[static_cast<unsigned char>(c)]; }

static Term parse_big(Heap& h, bool negative, std::string_view digits, int base) {
  double bits = static_cast<double>(digits.size()) * std::log2(base);
  if (bits >= 192 && too_many_limbs(static_cast<uint64_t>(bits / 64) - 1)) return kSystemLimit;
  std::string values(digits);
  for (char& c : values) c = static_cast<char>(digit_value(c));
  size_t room = static_cast<size_t>(bits / 64) + 2;
  Scratch limbs(room);
  size_t n = mpn_set_str(as_mp(limbs.limbs()), reinterpret_cast<unsigned char*>(values.data()),
                         values.size(), base);
  return make_integer(h, negative, limbs.limbs(), n);
}

/// So many digits surely fit into a small integer.
static constexpr size_t few(unsigned base) { return base == 10 ? 17 : base <= 16 ? 14 : 11; }

/// Of digits that are few; negative: there is something else.
static WB_INLINE int64_t few_digits(std::string_view text, unsigned base) {
  int64_t value = 0;
  for (char c : text) {
    unsigned digit = digit_value(c);
    if (digit >= base) return -1;
    value = value * base + digit;
  }
  return value;
}

Term parse_integer(Heap& h, std::string_view text, int base) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (text.empty()) return kBadarg;
  const auto by = static_cast<unsigned>(base);
  if (text.size() <= few(by)) {
    int64_t value = by == 10 ? few_digits(text, 10) : few_digits(text, by);
    return value < 0 ? kBadarg : make_small(negative ? -value : value);
  }
  for (char c : text) {
    if (digit_value(c) >= base) return kBadarg;
  }
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc()) return make_integer(h, negative, &value, 1);
  return parse_big(h, negative, text, base);
}

}  // namespace wb
