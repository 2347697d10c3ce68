#include "vm/observe/request.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "vm/observe/json_lexer.h"

namespace wb {

class ObserverRequestParser : JsonLexer {
 public:
  ObserverRequestParser(std::string_view json, std::vector<ObserverRequest::Field>& fields)
      : JsonLexer(json), fields_(fields) {}

  bool run() {
    if (!take_char('{')) return fail("a JSON object is expected");
    if (!take_char('}')) {
      do {
        if (fields_.size() == ObserverRequest::kMostFields) return fail("too many fields");
        ObserverRequest::Field& f = fields_.emplace_back();
        if (!string(&f.name) || !take_char(':') || !value(f)) return fail("bad field");
      } while (take_char(','));
      if (!take_char('}')) return fail("`}` is expected");
    }
    skip_space();
    return rest_.empty() || fail("something stands behind the object");
  }
  std::string error;

 private:
  bool fail(const char* why) {
    if (error.empty()) error = why;
    return false;
  }
  bool value(ObserverRequest::Field& f) {
    skip_space();
    if (rest_.empty()) return false;
    switch (rest_[0]) {
      case '"':
        f.kind = ObserverRequest::Kind::text;
        return string(&f.text);
      case '[':
        f.kind = ObserverRequest::Kind::numbers;
        return list(f.numbers);
      case 't':
        f.kind = ObserverRequest::Kind::boolean, f.number = 1;
        return word("true");
      case 'f':
        f.kind = ObserverRequest::Kind::boolean;
        return word("false");
      case 'n':
        return word("null");
      default:
        f.kind = ObserverRequest::Kind::number;
        return number(&f.number);
    }
  }
  bool number(double* n) {
    skip_space();
    auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *n);
    if (ec != std::errc() || !std::isfinite(*n)) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  bool list(std::vector<double>& numbers) {
    take_char('[');
    if (take_char(']')) return true;
    do {
      if (numbers.size() == ObserverRequest::kMostNumbers) return false;
      if (!number(&numbers.emplace_back())) return false;
    } while (take_char(','));
    return take_char(']');
  }
  bool string(std::string* out) {
    if (!take_char('"')) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      auto c = static_cast<unsigned char>(rest_[0]);
      if (c < ' ') return false;
      rest_.remove_prefix(1);
      if (c == '\\' ? !escaped(out) : (*out += static_cast<char>(c), false)) return false;
    }
    return take_char('"');
  }

  std::vector<ObserverRequest::Field>& fields_;
};

bool ObserverRequest::parse(std::string_view json, std::string* error) {
  fields_.clear();
  ObserverRequestParser parser(json, fields_);
  if (parser.run()) return true;
  *error = parser.error;
  return false;
}

const ObserverRequest::Field* ObserverRequest::find(std::string_view name) const {
  for (const Field& f : fields_) {
    if (f.name == name) return &f;
  }
  return nullptr;
}
std::string_view ObserverRequest::text(std::string_view name) const {
  const Field* f = find(name);
  return f && f->kind == Kind::text ? std::string_view(f->text) : std::string_view();
}
bool ObserverRequest::boolean(std::string_view name, bool otherwise) const {
  const Field* f = find(name);
  return f && f->kind == Kind::boolean ? f->number != 0 : otherwise;
}
int64_t ObserverRequest::number(std::string_view name, int64_t otherwise, int64_t least,
                                int64_t most) const {
  const Field* f = find(name);
  if (!f || f->kind != Kind::number) return otherwise;
  return static_cast<int64_t>(
      std::clamp(f->number, static_cast<double>(least), static_cast<double>(most)));
}
const std::vector<double>& ObserverRequest::numbers(std::string_view name) const {
  static const std::vector<double> kNothing;
  const Field* f = find(name);
  return f ? f->numbers : kNothing;
}

}  // namespace wb
