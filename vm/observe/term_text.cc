#include "vm/observe/term_text.h"

#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "term/atom.h"
#include "term/binary.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/number.h"
#include "term/number_text.h"
#include "term/utf8.h"
#include "vm/observe/filter.h"

namespace wb {
namespace {

class TermText {
 public:
  TermText(Heap& h, std::string_view text, std::string* error)
      : heap_(h), whole_(text), rest_(text), error_(error) {}

  Term whole() {
    const Term t = term(0);
    if (t == kNone) return kNone;
    take('.');
    return at_end() ? t : wrong("nothing more");
  }

 private:
  static constexpr int kDeepest = 100;

  Term wrong(std::string_view wanted) {
    if (error_->empty()) {
      *error_ =
          fmt::format("at character {}: {} is expected", whole_.size() - rest_.size() + 1, wanted);
    }
    return kNone;
  }
  bool at_end() {
    size_t n = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(n, rest_.size()));
    return rest_.empty();
  }
  bool take(std::string_view s) {
    if (at_end() || !rest_.starts_with(s)) return false;
    rest_.remove_prefix(s.size());
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  std::string_view take_while(auto&& holds) {
    size_t n = 0;
    while (n < rest_.size() && holds(rest_[n])) ++n;
    std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '@' || (c & 0x80);
  }

  Term term(int depth) {
    if (depth > kDeepest) return wrong("something less nested");
    if (at_end()) return wrong("a term");
    const char c = rest_[0];
    if (take("<<")) return binary();
    if (c == '<') return pid();
    if (take('{')) return tuple_term(depth);
    if (take('[')) return list(depth);
    if (take("#{")) return map(depth);
    if (c == '"') return string();
    if (c == '\'') return quoted();
    if (is_digit(c) || c == '-' || c == '+') return number();
    if (c == '$') {
      rest_.remove_prefix(1);
      std::string_view name = take_while(is_word);
      return atom("$" + std::string(name));
    }
    if (c == '_' || (c >= 'a' && c <= 'z') || (c & 0x80))
      return atom(std::string(take_while(is_word)));
    return wrong("a term");
  }
  Term atom(const std::string& name) {
    // Variables of match specifications may be made: there are few.
    const bool is_variable = name.starts_with("$") && name.size() > 1 && name.size() < 5 &&
                             name.find_first_not_of("0123456789", 1) == name.npos;
    const Term t = is_variable ? intern(name) : find_atom(name);
    if (!is_value(t) && error_->empty()) {
      *error_ =
          fmt::format("the machine has no atom '{}', so nothing matches it", name.substr(0, 100));
    }
    return is_value(t) ? t : kNone;
  }
  /// Behind the quote that has begun it.
  bool in_quotes(char quote, std::string* out) {
    while (!rest_.empty() && rest_[0] != quote) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
        const char c = rest_[0];
        *out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 's' ? ' ' : c;
      } else {
        *out += rest_[0];
      }
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) return wrong("the end of what is in quotes"), false;
    rest_.remove_prefix(1);
    return true;
  }
  Term quoted() {
    std::string name;
    rest_.remove_prefix(1);
    return in_quotes('\'', &name) ? atom(name) : kNone;
  }
  Term string() {
    std::string bytes;
    rest_.remove_prefix(1);
    if (!in_quotes('"', &bytes)) return kNone;
    ListBuilder characters(heap_);
    for (size_t at = 0; at < bytes.size();) {
      uint32_t c;
      const int n =
          utf8_decode(reinterpret_cast<const uint8_t*>(bytes.data()) + at, bytes.size() - at, &c);
      if (n <= 0) return wrong("UTF-8");
      characters.add(make_small(c));
      at += static_cast<size_t>(n);
    }
    return characters.finish();
  }
  /// Bytes and texts.
  Term binary() {
    std::string bytes;
    while (!take(">>")) {
      if (at_end()) return wrong(">>");
      if (rest_[0] == '"') {
        rest_.remove_prefix(1);
        if (!in_quotes('"', &bytes)) return kNone;
        take("/utf8");
      } else {
        const Term n = number();
        if (n == kNone) return kNone;
        if (!is_small(n) || small_value(n) < 0 || small_value(n) > 255) return wrong("a byte");
        bytes += static_cast<char>(small_value(n));
      }
      take(',');
    }
    return make_binary(heap_, bytes.data(), bytes.size());
  }
  Term pid() {
    std::string_view text = rest_.substr(0, std::min(rest_.find('>'), rest_.size() - 1) + 1);
    const Term t = parse_pid(text);
    if (!is_value(t)) return wrong("a pid of this machine, as <0.17.3>,");
    rest_.remove_prefix(text.size());
    return t;
  }
  Term number() {
    const bool negative = rest_[0] == '-';
    if (rest_[0] == '-' || rest_[0] == '+') rest_.remove_prefix(1);
    std::string digits = negative ? "-" : "";
    auto more = [&] { digits += take_while([](char c) { return is_digit(c) || c == '_'; }); };
    more();
    std::erase(digits, '_');
    if (take_here("#")) {
      const int base = digits.size() < 4 ? atoi(digits.c_str()) : 0;
      const int size = base < 0 ? -base : base;
      if (size < 2 || size > 36) return wrong("a base from 2 to 36");
      std::string others = negative ? "-" : "";
      others += take_while([](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
      return integer(others, size);
    }
    if (rest_.size() > 1 && rest_[0] == '.' && is_digit(rest_[1])) {
      rest_.remove_prefix(1);
      digits += '.';
      more();
      if (!rest_.empty() && (rest_[0] == 'e' || rest_[0] == 'E')) {
        digits += take_while(
            [](char c) { return is_digit(c) || c == 'e' || c == 'E' || c == '-' || c == '+'; });
      }
      double value;
      return parse_float(digits, &value) ? make_float(heap_, value) : wrong("a float");
    }
    return integer(digits, 10);
  }
  bool take_here(std::string_view s) {
    if (!rest_.starts_with(s) || rest_.starts_with("#{")) return false;
    rest_.remove_prefix(s.size());
    return true;
  }
  Term integer(const std::string& digits, int base) {
    const Term t = parse_integer(heap_, digits, base);
    return is_value(t) ? t : wrong("a number");
  }
  Term tuple_term(int depth) {
    std::vector<Term> elements;
    if (!elements_until("}", depth, &elements)) return kNone;
    Term* at = heap_.alloc(elements.size() + 1);
    at[0] = make_header(Kind::tuple, elements.size());
    std::copy(elements.begin(), elements.end(), at + 1);
    return make_boxed(at);
  }
  bool elements_until(std::string_view end, int depth, std::vector<Term>* elements) {
    if (take(end)) return true;
    for (;;) {
      const Term t = term(depth + 1);
      if (t == kNone) return false;
      elements->push_back(t);
      if (take(end)) return true;
      if (!take(',')) return wrong(std::string(end) + " or a comma"), false;
    }
  }
  Term list(int depth) {
    ListBuilder elements(heap_);
    if (take(']')) return kNil;
    for (;;) {
      const Term t = term(depth + 1);
      if (t == kNone) return kNone;
      elements.add(t);
      if (take(']')) return elements.finish();
      if (take('|')) {
        const Term end = term(depth + 1);
        if (end == kNone) return kNone;
        return take(']') ? elements.finish(end) : wrong("]");
      }
      if (!take(',')) return wrong("] or a comma");
    }
  }
  Term map(int depth) {
    std::vector<Term> pairs;
    if (take('}')) return map_from_pairs(heap_, nullptr, 0);
    for (;;) {
      for (int k = 0; k < 2; ++k) {
        if (k && !take("=>")) return wrong("=>");
        const Term t = term(depth + 1);
        if (t == kNone) return kNone;
        pairs.push_back(t);
      }
      if (take('}')) return map_from_pairs(heap_, pairs.data(), pairs.size() / 2);
      if (!take(',')) return wrong("} or a comma");
    }
  }

  Heap& heap_;
  const std::string_view whole_;
  std::string_view rest_;
  std::string* const error_;
};

}  // namespace

Term read_term(Heap& h, std::string_view text, std::string* error) {
  error->clear();
  return TermText(h, text, error).whole();
}

}  // namespace wb
