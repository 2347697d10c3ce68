#include "tools/find_program.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "loader/code_path.h"
#include "tools/compile_cache.h"
#include "tools/machine.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

bool is_file(const std::string& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec);
}

std::string directory_of(const std::string& path) {
  std::string dir = fs::path(path).parent_path();
  return dir.empty() ? "." : dir;
}

/// A program that is named neither as .beam nor as .erl: one of them here, or a module of the path.
std::string find_by_name(const RunOptions& options) {
  const std::string& name = options.program;
  for (const char* ending : {".beam", ".erl"})
    if (is_file(name + ending)) return name + ending;
  if (name.find('/') == std::string::npos) {
    CodePath path;
    path.set_usual(options.code_paths, options.otp_root, options.last_paths);
    return path.find(name);
  }
  return {};
}

}  // namespace

std::string find_otp(RunOptions* given) {
  RunOptions& options = *given;
  std::error_code ec;
  auto missing = [&](const std::string& dir) { return !fs::is_directory(dir, ec); };
  std::erase_if(options.code_paths, missing);  // as erl
  std::erase_if(options.last_paths, missing);
  std::reverse(options.code_paths.begin(), options.code_paths.end());  // the later one goes first
  std::string otp = find_otp_root(options.otp_root);
  if (otp.empty())
    return options.otp_root.empty()
               ? "no OTP found (Debian: apt-get install erlang-base; elsewhere: --otp DIR)"
               : fmt::format("--otp {}: no lib/stdlib-*/ebin in it", options.otp_root);
  options.otp_root = otp;
  return {};
}

std::string find_program(RunOptions* given) {
  RunOptions& options = *given;
  if (std::string error = find_otp(given); !error.empty()) return error;
  std::error_code ec;

  std::string asked = options.program;
  if (fs::is_directory(asked, ec)) return fmt::format("{}: a directory, not a program", asked);
  if (!asked.ends_with(".beam") && !asked.ends_with(".erl")) {
    options.program = find_by_name(options);
    if (options.program.empty())
      return fmt::format("no {0}.beam or {0}.erl here, and no module of that name in the code path",
                         asked);
  }
  if (!is_file(options.program)) {
    return fs::exists(options.program, ec) ? fmt::format("{}: not a file", options.program)
                                           : fmt::format("{}: no such file", options.program);
  }
  std::string beside = directory_of(options.program);
  if (options.program.ends_with(".erl")) {
    CompiledProgram compiled = compile_erl(options.program, options.code_paths, options.otp_root);
    options.program = compiled.beam;
    if (compiled.beam.empty()) return compiled.error;
  }
  options.code_paths.push_back(beside);  // a program may have modules of its own beside it
  return {};
}

}  // namespace wb
