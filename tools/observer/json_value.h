// Reading JSON: the answers of a machine. A value that is not there reads as null, null as 0, "" or
// an empty list, so whoever shows an answer need not ask twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wb {

class JsonValue {
 public:
  enum class Kind : uint8_t { null, boolean, number, text, list, object };

  /// Null if it is no JSON.
  static JsonValue parse(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool truth() const { return kind_ == Kind::boolean && number_ != 0; }
  double number() const { return kind_ == Kind::number ? number_ : 0; }
  int64_t integer() const { return static_cast<int64_t>(number()); }
  const std::string& text() const { return text_; }
  const std::vector<JsonValue>& list() const { return list_; }
  const std::vector<std::pair<std::string, JsonValue>>& fields() const { return fields_; }
  const JsonValue& operator[](std::string_view name) const;

 private:
  friend class JsonReader;
  Kind kind_ = Kind::null;
  double number_ = 0;
  std::string text_;
  std::vector<JsonValue> list_;
  std::vector<std::pair<std::string, JsonValue>> fields_;
};

}  // namespace wb
