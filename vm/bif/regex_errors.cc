#include "vm/bif/regex_errors.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "term/instance.h"

namespace wb {

namespace {
// Only where the words differ.
struct {
  int code;
  const char* text;
} constexpr kTexts[] = {
    {107, "invalid escape sequence in character class"},
    {109, "nothing to repeat"},
    {114, "missing )"},
    {118, "missing ) after comment"},
    {119, "regular expression is too complicated"},
    {122, "unmatched parentheses"},
    {124, "missing )"},
    {126, "malformed number or name after (?("},
    {127, "conditional group contains more than two branches"},
    {129, "digit expected after (?+"},
    {134, "character value in \\x{} or \\o{} is too large"},
    {136, "\\C not allowed in lookbehind assertion"},
    {137, "PCRE does not support \\L, \\l, \\N{name}, \\U, or \\u"},
    {138, "number after (?C is > 255"},
    {139, "closing ) for (?C expected"},
    {142, "syntax error in subpattern name (missing terminator)"},
    {143, "two named subpatterns have the same name"},
    {144, "group name must start with a non-digit"},
    {147, "unknown property name after \\P or \\p"},
    {148, "subpattern name is too long (maximum 32 characters)"},
    {154, "DEFINE group contains more than one branch"},
    {158, "(?R or (?[+-]digits must be followed by )"},
    {161, "number is too big"},
    {168, "\\c must be followed by an ASCII character"},
    {174, "setting UTF is disabled by the application"},
    {176, "name is too long in (*MARK), (*PRUNE), (*SKIP), or (*THEN)"},
    {178, "digits missing in \\x{} or \\o{}"},
    {198, "assertion expected after (?( or (?(?C)"},
};
/// Index of the ")" that ends the group beginning at or before `open`, or of the pattern's end.
size_t group_end(std::string_view s, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < s.size(); ++i) {
    if (s[i] == '\\')
      ++i;
    else if (s[i] == '(')
      ++depth;
    else if (s[i] == ')' && --depth == 0)
      return i;
  }
  return s.size();
}

size_t word_end(std::string_view s, size_t at) {
  while (at < s.size() && (isalnum(static_cast<unsigned char>(s[at])) || s[at] == '_')) ++at;
  return at;
}

/// PCRE 8 noticed a missing group at the end of the pattern (numbers) or of the name.
size_t missing_group(std::string_view s, size_t at) {
  if (at < s.size() && s[at] == '(') return std::min(group_end(s, at) + 1, s.size());
  if (at > 0 && s[at - 1] == '\\') return s.size();
  bool condition = at > 0 && s[at - 1] == '(';
  return word_end(s, at) + condition;
}

size_t old_position(int code, std::string_view s, size_t at) {
  switch (code) {
    case 115:
      return missing_group(s, at);
    case 125:
    case 127:
      return group_end(s, at);
    case 128:
    case 129:
    case 198:
      return at + 1;
    case 137:
    case 143:
    case 147:
    case 150:
    case 151:
      return at - 1;
    default:
      return at;
  }
}

/// Some patterns that end too early were told apart by what they end with.
const char* unfinished(int code, std::string_view s, size_t at) {
  if (code == 162 && at >= 3 && s.substr(at - 3, 3) == "(?<")
    return "unrecognized character after (?<";
  if (code == 114 && s.ends_with("(?P")) return "unrecognized character after (?P";
  if (code == 114 && s.ends_with("(?(")) return "assertion expected after (?( or (?(?C)";
  size_t last = s.rfind("(?");
  if (code == 114 && last != s.npos && s.find_first_not_of("imsxJUX-", last + 2) == s.npos) {
    return "unrecognized character after (? or (?-";
  }
  return nullptr;
}
}  // namespace

/// As PCRE2 says it itself, and OTP since 28.
static std::string own_text(int code) {
  char text[256];
  pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
  return text;
}

RegexError regex_error(int code, std::string_view pattern, size_t position) {
  if (code < 0) return {"invalid UTF-8 string", position};
  if (otp_release() >= 28) return {own_text(code), position};
  if (const char* text = unfinished(code, pattern, position)) return {text, position};
  position = old_position(code, pattern, position);
  for (const auto& t : kTexts) {
    if (t.code == code) return {t.text, position};
  }
  return {own_text(code), position};
}

}  // namespace wb
