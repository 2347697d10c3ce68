// Where .beam files are looked for.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

class CodePath {
 public:
  void add_first(std::string directory);
  void add_last(std::string directory);
  /// Every lib/*/ebin below an OTP root (or Elixir's): kernel, stdlib, erts and compiler first.
  void add_libraries(const std::string& root);
  void set(std::vector<std::string> directories);
  /// Full path of MODULE.beam, empty if there is none.
  std::string find(std::string_view module) const;
  std::vector<std::string> directories() const;

 private:
  mutable std::shared_mutex lock_;
  std::vector<std::string> directories_;
};

}  // namespace wb
