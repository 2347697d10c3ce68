// Where .beam files are looked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wb {

class CodePath {
 public:
  void add_first(std::string directory) { directories_.insert(directories_.begin(), std::move(directory)); }
  void add_last(std::string directory) { directories_.push_back(std::move(directory)); }
  /// Every lib/*/ebin below an OTP root (or Elixir's): kernel, stdlib, erts and compiler first.
  void add_libraries(const std::string& root);
  /// Full path of MODULE.beam, empty if there is none.
  std::string find(std::string_view module) const;
  const std::vector<std::string>& directories() const { return directories_; }

 private:
  std::vector<std::string> directories_;
};

}  // namespace wb
