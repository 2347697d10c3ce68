// Floats as text, with the same characters as OTP 25 (tests: number_text_test.cc, floats.tsv).
//
// All digits come from std::to_chars, which is exact and, unlike printf, deaf to locales. The one
// surprise is [{decimals,N}]: up to 18 decimals OTP does not round the exact expansion but
// scales the fraction by 10^N in double arithmetic and rounds half up, so 0.125 gives 0.13 and not
// 0.12. Texts of 256 and more characters do not exist there: they are a badarg.
#include <charconv>
#include <cmath>

#include "term/number_text.h"

namespace wb {
namespace {

struct ShortestDigits {
  explicit ShortestDigits(double d) {
    char buffer[32];
    char* end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
    char* e = static_cast<char*>(memchr(buffer, 'e', static_cast<size_t>(end - buffer)));
    digits.push_back(buffer[0]);
    if (e > buffer + 1) digits.append(buffer + 2, e);
    std::from_chars(e + 1 + (e[1] == '+'), end, exponent);
  }
  std::string digits;  // without leading and trailing zeros, as d.ddd
  int exponent = 0;
};

std::string scientific_form(const ShortestDigits& s) {
  std::string text = s.digits.substr(0, 1) + '.';
  text += s.digits.size() > 1 ? s.digits.substr(1) : "0";
  text += 'e';
  return text += std::to_string(s.exponent);
}

std::string plain_form(const ShortestDigits& s) {
  if (s.exponent < 0) {
    return "0." + std::string(static_cast<size_t>(-s.exponent - 1), '0') + s.digits;
  }
  size_t whole = static_cast<size_t>(s.exponent) + 1;
  if (s.digits.size() <= whole) {
    return s.digits + std::string(whole - s.digits.size(), '0') + ".0";
  }
  return s.digits.substr(0, whole) + '.' + s.digits.substr(whole);
}

std::string exact_text(double d, std::chars_format form, int precision) {
  char buffer[1024];  // the longest double has 309 digits before the dot
  char* end = std::to_chars(buffer, buffer + sizeof buffer, d, form, precision).ptr;
  return std::string(buffer, end);
}

constexpr int kFastDecimals = 18;
constexpr double kFastLimit = 9007199254740992.0;  // 2^53: from here on there is no fraction

std::string decimals_by_scaling(double d, int decimals) {
  uint64_t power = 1;
  for (int i = 0; i < decimals; ++i) power *= 10;
  double size = std::fabs(d);
  uint64_t whole = static_cast<uint64_t>(size);
  double fraction = size - static_cast<double>(whole);
  uint64_t scaled = static_cast<uint64_t>(std::round(fraction * static_cast<double>(power)));
  if (scaled >= power) {
    ++whole;
    scaled -= power;
  }
  std::string text = std::signbit(d) ? "-" : "";
  text += std::to_string(whole);
  if (decimals == 0) return text;
  std::string tail = std::to_string(scaled);
  return text + '.' + std::string(static_cast<size_t>(decimals) - tail.size(), '0') + tail;
}

/// Takes away zeros at the end, but one after the dot. (Where there is no dot the whole part loses
/// its zeros: {decimals,0} with compact turns 1.0e22 into "1", in OTP 25 too.)
void strip_trailing_zeros(std::string* text) {
  size_t dot = text->find('.'), last = text->find_last_not_of('0');
  text->resize((last == dot ? dot + 1 : last) + 1);
}

}  // namespace

std::string float_text_short(double d) {
  std::string sign = std::signbit(d) ? "-" : "";
  d = std::fabs(d);
  if (d == 0) return sign + "0.0";
  ShortestDigits shortest(d);
  std::string scientific = scientific_form(shortest);
  if (d >= 9007199254740992.0) return sign + scientific;
  std::string plain = plain_form(shortest);
  return sign + (plain.size() <= scientific.size() ? plain : scientific);
}

std::string float_text_scientific(double d, int digits) {
  return exact_text(d, std::chars_format::scientific, digits);
}

bool float_text_decimals(double d, int decimals, bool compact, std::string* out) {
  if (decimals < 0 || decimals > static_cast<int>(kMaxFloatText)) return false;
  bool fast = decimals <= kFastDecimals && std::fabs(d) < kFastLimit;
  *out =
      fast ? decimals_by_scaling(d, decimals) : exact_text(d, std::chars_format::fixed, decimals);
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
  std::string copy(text.substr(text[0] == '+'));
  if (size_t comma = copy.find(','); comma != std::string::npos) copy[comma] = '.';
  double value = 0;
  auto error = std::from_chars(copy.data(), copy.data() + copy.size(), value).ec;
  if (error == std::errc::result_out_of_range) {
    if (is_overflow(copy)) return false;
    value = copy[0] == '-' ? -0.0 : 0.0;
  }
  *out = value;
  return true;
}

}  // namespace wb
