// Writing JSON: text that is appended to, with commas where they belong.
//
// Strings may hold any bytes: what is no UTF-8 is written as the character of that number.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace wb {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& open(char bracket) {
    comma();
    out_ += bracket;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_ += bracket;
    return *this;
  }
  JsonWriter& key(std::string_view name) {
    comma();
    quote(name);
    out_ += ':';
    return *this;
  }
  JsonWriter& text(std::string_view value) {
    comma();
    quote(value);
    return *this;
  }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  template <std::integral N>
  JsonWriter& number(N value) {
    return raw(std::to_string(value));
  }
  JsonWriter& number(double value);
  /// JSON that was written elsewhere.
  JsonWriter& raw(std::string_view json) {
    comma();
    out_ += json;
    return *this;
  }

  // --- the same with a key
  template <class N>
  JsonWriter& number(std::string_view name, N value) {
    return key(name).number(value);
  }
  JsonWriter& text(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& boolean(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& object(std::string_view name) { return key(name).open('{'); }
  JsonWriter& array(std::string_view name) { return key(name).open('['); }

  size_t size() const { return out_.size(); }

 private:
  void comma() {
    if (out_.empty()) return;
    char last = out_.back();
    if (last != '{' && last != '[' && last != ':') out_ += ',';
  }
  void quote(std::string_view s);

  std::string& out_;
};

}  // namespace wb
