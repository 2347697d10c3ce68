// Floats as text, with the same characters as OTP 25 (tests: number_text_test.cc, floats.tsv).
//
// The shortest digits come from shortest_decimal.h, all others from std::to_chars, which is exact
// and, unlike printf, deaf to locales. The one surprise is [{decimals,N}]: up to 18 decimals OTP
// does not round the exact expansion but scales the fraction by 10^N in double arithmetic and
// rounds half up, so 0.125 gives 0.13 and not 0.12. Texts of 256 and more characters do not exist
// there: they are a badarg.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "term/number_text.h"
#include "term/shortest_decimal.h"

namespace wb {
namespace {

/// d.ddd * 10^exponent.
struct ShortestDigits {
  explicit ShortestDigits(double d) {
    const Decimal decimal = shortest_decimal(d);
    count = std::to_chars(digits, digits + sizeof digits, decimal.digits).ptr - digits;
    exponent = decimal.exponent + static_cast<int>(count) - 1;
  }
  char digits[20];
  std::ptrdiff_t count;  ///< of digits, without leading and trailing zeros
  int exponent;
};

char* put_digits(char* to, const char* from, std::ptrdiff_t n) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    to[k] = from[k];
    asm("");  // no call of memmove for a few
  }
  return to + n;
}
char* put_zeros(char* to, std::ptrdiff_t n) {
  for (; n > 0; --n) *to++ = '0';
  return to;
}

std::ptrdiff_t digits_of_exponent(int e) {
  int size = std::abs(e);
  return (e < 0) + (size < 10 ? 1 : size < 100 ? 2 : 3);
}

char* put_scientific(char* to, const ShortestDigits& s) {
  *to++ = s.digits[0];
  *to++ = '.';
  to = s.count > 1 ? put_digits(to, s.digits + 1, s.count - 1) : put_zeros(to, 1);
  *to++ = 'e';
  return std::to_chars(to, to + 8, s.exponent).ptr;
}

char* put_plain(char* to, const ShortestDigits& s) {
  if (s.exponent < 0) {
    *to++ = '0';
    *to++ = '.';
    return put_digits(put_zeros(to, -s.exponent - 1), s.digits, s.count);
  }
  std::ptrdiff_t whole = s.exponent + 1;
  to = put_zeros(put_digits(to, s.digits, std::min(whole, s.count)), whole - s.count);
  *to++ = '.';
  return s.count > whole ? put_digits(to, s.digits + whole, s.count - whole) : put_zeros(to, 1);
}

std::ptrdiff_t scientific_size(const ShortestDigits& s) {
  return s.count + 1 + (s.count == 1) + 1 + digits_of_exponent(s.exponent);
}
std::ptrdiff_t plain_size(const ShortestDigits& s) {
  if (s.exponent < 0) return 1 - s.exponent + s.count;
  std::ptrdiff_t whole = s.exponent + 1;
  return s.count > whole ? s.count + 1 : whole + 2;
}

std::string exact_text(double d, std::chars_format form, int precision) {
  char buffer[1024];  // the longest double has 309 digits before the dot
  char* end = std::to_chars(buffer, buffer + sizeof buffer, d, form, precision).ptr;
  return std::string(buffer, end);
}

constexpr int kFastDecimals = 18;
constexpr double kFastLimit = 9007199254740992.0;  // 2^53: from here on there is no fraction

size_t decimals_by_scaling(double d, int decimals, char (&text)[48]) {
  static constexpr auto kPowers = [] {
    std::array<uint64_t, kFastDecimals + 1> powers{1};
    for (size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
    return powers;
  }();
  const uint64_t power = kPowers[static_cast<size_t>(decimals)];
  double size = std::fabs(d);
  uint64_t whole = static_cast<uint64_t>(size);
  double fraction = size - static_cast<double>(whole);
  uint64_t scaled = static_cast<uint64_t>(std::round(fraction * static_cast<double>(power)));
  if (scaled >= power) {
    ++whole;
    scaled -= power;
  }
  char* to = text;
  if (std::signbit(d)) *to++ = '-';
  to = std::to_chars(to, to + 20, whole).ptr;
  if (decimals > 0) {
    *to++ = '.';
    for (int i = decimals; i-- > 0; scaled /= 10) to[i] = static_cast<char>('0' + scaled % 10);
    to += decimals;
  }
  return static_cast<size_t>(to - text);
}
bool is_scaled(double d, int decimals) {
  return decimals >= 0 && decimals <= kFastDecimals && std::fabs(d) < kFastLimit;
}

/// Takes away zeros at the end, but one after the dot. (Where there is no dot the whole part loses
/// its zeros: {decimals,0} with compact turns 1.0e22 into "1", in OTP 25 too.)
void strip_trailing_zeros(std::string* text) {
  size_t dot = text->find('.'), last = text->find_last_not_of('0');
  text->resize((last == dot ? dot + 1 : last) + 1);
}

}  // namespace

size_t float_text_short(double d, char (&text)[48]) {
  char* to = text;
  if (std::signbit(d)) *to++ = '-';
  d = std::fabs(d);
  if (d == 0) return static_cast<size_t>(put_digits(to, "0.0", 3) - text);
  ShortestDigits s(d);
  bool plain = d < kFastLimit && plain_size(s) <= scientific_size(s);
  return static_cast<size_t>((plain ? put_plain(to, s) : put_scientific(to, s)) - text);
}
std::string float_text_short(double d) {
  char text[48];
  return std::string(text, float_text_short(d, text));
}

std::string float_text_scientific(double d, int digits) {
  return exact_text(d, std::chars_format::scientific, digits);
}

size_t float_text_few_decimals(double d, int decimals, bool compact, char (&to)[48]) {
  if (!is_scaled(d, decimals)) return 0;
  size_t n = decimals_by_scaling(d, decimals, to);
  const size_t shortest = n - static_cast<size_t>(decimals) + 1;  // one digit after the dot
  while (compact && decimals > 0 && n > shortest && to[n - 1] == '0') --n;
  return n;
}

bool float_text_decimals(double d, int decimals, bool compact, std::string* out) {
  if (decimals < 0 || decimals > static_cast<int>(kMaxFloatText)) return false;
  const bool fast = is_scaled(d, decimals);
  char few[48];
  if (fast)
    out->assign(few, decimals_by_scaling(d, decimals, few));
  else
    *out = exact_text(d, std::chars_format::fixed, decimals);
  if (out->size() > kMaxFloatText) return false;
  if (compact && !(fast && decimals == 0)) strip_trailing_zeros(out);
  return true;
}

// [+-] digits (. or ,) digits [(e or E) [+-] digits]
static size_t skip_digits(std::string_view s, size_t i) {
  while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
  return i;
}
static size_t skip_sign(std::string_view s, size_t i) {
  return i < s.size() && (s[i] == '+' || s[i] == '-') ? i + 1 : i;
}

/// Where the exponent's mark is (or the end), 0 if this is no float.
static size_t end_of_mantissa(std::string_view s) {
  size_t start = skip_sign(s, 0);
  size_t dot = skip_digits(s, start);
  if (dot == start || dot == s.size() || (s[dot] != '.' && s[dot] != ',')) return 0;
  size_t end = skip_digits(s, dot + 1);
  return end == dot + 1 ? 0 : end;
}

static bool is_exponent(std::string_view s) {
  if (s.empty()) return true;
  if (s[0] != 'e' && s[0] != 'E') return false;
  size_t start = skip_sign(s, 1);
  return start < s.size() && skip_digits(s, start) == s.size();
}

/// Does `text`, a float out of range, exceed it (and not vanish)? Its first digit's weight tells.
static bool is_overflow(std::string_view text) {
  size_t start = skip_sign(text, 0), dot = text.find('.'), e = text.find_first_of("eE");
  size_t first = text.find_first_not_of("0.", start);
  if (first >= e) return false;
  int64_t weight = static_cast<int64_t>(dot) - static_cast<int64_t>(first);
  if (e == std::string_view::npos) return weight > 0;
  bool negative = text[e + 1] == '-';
  std::string_view digits = text.substr(skip_sign(text, e + 1));
  int64_t exponent = 0;
  auto error = std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec;
  if (error != std::errc()) return !negative;  // no text has so many digits
  return weight + (negative ? -exponent : exponent) > 0;
}

bool parse_float(std::string_view text, double* out) {
  size_t end = end_of_mantissa(text);
  if (end == 0 || !is_exponent(text.substr(end))) return false;
  text.remove_prefix(text[0] == '+');
  std::string with_point;
  if (size_t comma = text.find(','); comma != text.npos) {
    with_point = text;
    with_point[comma] = '.';
    text = with_point;
  }
  double value = 0;
  auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  if (error == std::errc::result_out_of_range) {
    if (is_overflow(text)) return false;
    value = text[0] == '-' ? -0.0 : 0.0;
  }
  *out = value;
  return true;
}

}  // namespace wb
