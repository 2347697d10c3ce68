// What tests of ExUnit need before they can run, as `mix test` finds it out.
#pragma once

#include <string>
#include <vector>

namespace wb {

struct ExunitFiles {
  std::string directory;  ///< where tests run: that of mix.exs, or the present one
  /// For whitebeam_explore:prepare/1: what mix has said of the project (a file, or ""), then the
  /// files to require.
  std::vector<std::string> preparation;
  std::string error;  ///< for people
};
/// `file`: one of tests, or a directory with files *_test.exs. Below a mix.exs its project is
/// compiled for MIX_ENV=test (unless that is set), and test_helper.exs comes first. What mix says
/// is in memory of this process, until it ends.
ExunitFiles find_exunit_files(const std::string& file);

}  // namespace wb
