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
  /// The newest version of each application in a directory of them, in the order of OTP's code
  /// server: the last name first. Its directory is `ebin`, or the application's own if it has none.
  void add_libraries(const std::string& directory);
  /// Those below an OTP root: kernel and stdlib, what is in `libraries` (as ERL_LIBS has them:
  /// DIR:DIR...), the others.
  void add_otp(const std::string& root, const std::string& libraries);
  void set(std::vector<std::string> directories);
  /// What is searched from the start: `first`, the working directory, OTP with the environment's
  /// ERL_LIBS, Elixir, `last`.
  void set_usual(const std::vector<std::string>& first, const std::string& otp_root,
                 const std::vector<std::string>& last);
  /// Full path of MODULE.beam, empty if there is none.
  std::string find(std::string_view module) const;
  std::vector<std::string> directories() const;

 private:
  mutable std::shared_mutex lock_;
  std::vector<std::string> directories_;
};

}  // namespace wb
