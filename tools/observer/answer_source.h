// Who answers requests in a machine's place.
#pragma once

#include <string>
#include <string_view>

namespace wb {

class AnswerSource {
 public:
  virtual ~AnswerSource() = default;
  /// The whole answer to one request, as docs/observer-protocol.md has it.
  virtual std::string answer(std::string_view request) = 0;
};

}  // namespace wb
