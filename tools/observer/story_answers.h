// A story that `explore --save` has kept, in a machine's place: the page draws it. `hello` says
// that it is one, `story` tells it; nothing else is known.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/observer/answer_source.h"

namespace wb {

class StoryAnswers final : public AnswerSource {
 public:
  /// By its name or by how it begins.
  static bool is_story(const std::string& path);
  /// Null, and why in *error.
  static std::unique_ptr<StoryAnswers> open(const std::string& path, std::string* error);
  std::string answer(std::string_view request) override;

 private:
  std::string program_, json_;
};

/// Prints it as text or JSON; why not in *error.
bool print_story(const std::string& path, bool json, std::string* error);

}  // namespace wb
