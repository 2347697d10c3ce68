#include "tools/observer/json_value.h"

#include <algorithm>
#include <charconv>

#include "term/utf8.h"

namespace wb {

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kNothing;
  for (const auto& [key, value] : fields_) {
    if (key == name) return value;
  }
  return kNothing;
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}
  bool document(JsonValue* v) {
    if (!value(v, 0)) return false;
    skip_space();
    return rest_.empty();
  }

 private:
  static constexpr int kDeepest = 32;  // answers have five levels

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view w) {
    if (!rest_.starts_with(w)) return false;
    rest_.remove_prefix(w.size());
    return true;
  }

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
    take('{');
    if (take('}')) return true;
    do {
      auto& [key, field] = v->fields_.emplace_back();
      if (!string(&key) || !take(':') || !value(&field, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }
  bool list(JsonValue* v, int depth) {
    take('[');
    if (take(']')) return true;
    do {
      if (!value(&v->list_.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }
  bool number(double* n) {
    auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *n);
    if (ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  bool string(std::string* out) {
    if (!take('"')) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      size_t plain = std::min(rest_.find_first_of("\"\\"), rest_.size());
      out->append(rest_.substr(0, plain));
      rest_.remove_prefix(plain);
      if (word("\\") && !escaped(out)) return false;
    }
    return take('"');
  }
  bool escaped(std::string* out) {
    if (rest_.empty()) return false;
    char c = rest_[0];
    rest_.remove_prefix(1);
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (size_t k = kNames.find(c); k != kNames.npos) {
      *out += kMeant[k];
      return true;
    }
    uint32_t code;
    if (c != 'u' || rest_.size() < 4) return false;
    auto [end, ec] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
    if (ec != std::errc() || end != rest_.data() + 4 || !is_code_point(code)) return false;
    rest_.remove_prefix(4);
    append_utf8(*out, code);
    return true;
  }

  std::string_view rest_;
};

JsonValue JsonValue::parse(std::string_view text) {
  JsonValue v;
  return JsonReader(text).document(&v) ? v : JsonValue();
}

}  // namespace wb
