#include "tools/observer/json_value.h"

#include <algorithm>
#include <charconv>

#include "vm/observe/json_lexer.h"

namespace wb {

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kNothing;
  for (const auto& [key, value] : fields_) {
    if (key == name) return value;
  }
  return kNothing;
}

class JsonReader : JsonLexer {
 public:
  explicit JsonReader(std::string_view text) : JsonLexer(text) {}
  bool document(JsonValue* v) {
    if (!value(v, 0)) return false;
    skip_space();
    return rest_.empty();
  }

 private:
  static constexpr int kDeepest = 32;  // answers have five levels

  bool value(JsonValue* v, int depth) {
    skip_space();
    if (rest_.empty() || depth == kDeepest) return false;
    switch (rest_[0]) {
      case '{':
        v->kind_ = JsonValue::Kind::object;
        return object(v, depth);
      case '[':
        v->kind_ = JsonValue::Kind::list;
        return list(v, depth);
      case '"':
        v->kind_ = JsonValue::Kind::text;
        return string(&v->text_);
      case 't':
        v->kind_ = JsonValue::Kind::boolean, v->number_ = 1;
        return word("true");
      case 'f':
        v->kind_ = JsonValue::Kind::boolean;
        return word("false");
      case 'n':
        return word("null");
      default:
        v->kind_ = JsonValue::Kind::number;
        return number(&v->number_);
    }
  }
  bool object(JsonValue* v, int depth) {
    take_char('{');
    if (take_char('}')) return true;
    do {
      auto& [key, field] = v->fields_.emplace_back();
      if (!string(&key) || !take_char(':') || !value(&field, depth + 1)) return false;
    } while (take_char(','));
    return take_char('}');
  }
  bool list(JsonValue* v, int depth) {
    take_char('[');
    if (take_char(']')) return true;
    do {
      if (!value(&v->list_.emplace_back(), depth + 1)) return false;
    } while (take_char(','));
    return take_char(']');
  }
  bool number(double* n) {
    auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *n);
    if (ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  bool string(std::string* out) {
    if (!take_char('"')) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      size_t plain = std::min(rest_.find_first_of("\"\\"), rest_.size());
      out->append(rest_.substr(0, plain));
      rest_.remove_prefix(plain);
      if (word("\\") && !escaped(out)) return false;
    }
    return take_char('"');
  }
};

JsonValue JsonValue::parse(std::string_view text) {
  JsonValue v;
  return JsonReader(text).document(&v) ? v : JsonValue();
}

}  // namespace wb
