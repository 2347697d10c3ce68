// A request: one flat JSON object, whose values are strings, numbers, booleans or lists of numbers.
// Everything else is refused: what comes in is hostile until shown otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

class ObserverRequest {
 public:
  static constexpr size_t kMostBytes = 64 * 1024, kMostFields = 32, kMostNumbers = 2048;

  /// False, and why in *error.
  bool parse(std::string_view json, std::string* error);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string_view text(std::string_view name) const;  ///< empty if there is none
  bool boolean(std::string_view name, bool otherwise) const;
  /// Brought into the range.
  int64_t number(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const;
  const std::vector<double>& numbers(std::string_view name) const;

 private:
  enum class Kind : uint8_t { text, number, boolean, numbers, null };
  struct Field {
    std::string name;
    Kind kind = Kind::null;
    std::string text;
    double number = 0;
    std::vector<double> numbers;
  };
  friend class ObserverRequestParser;
  const Field* find(std::string_view name) const;
  std::vector<Field> fields_;
};

}  // namespace wb
