// `whitebeam image`: the images of modules (loader/module_images.h) that runs have left.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "loader/module_images.h"
#include "tools/commands.h"
#include "tools/machine.h"
#include "tools/otp_root.h"

namespace wb {
namespace {

/// With our `erl` and `whitebeam` first in PATH.
int train(const std::string& command) {
  std::string path = own_binary().parent_path();
  if (const std::string root = own_otp_root(); !root.empty()) path = root + "/bin:" + path;
  return run_in_shell(command, path);
}

}  // namespace

int cmd_image(const ImageCommand& command) {
  const std::string directory = ModuleImages::usual_directory();
  if (directory.empty()) {
    fmt::print(stderr, "whitebeam: neither XDG_CACHE_HOME nor HOME is set: no images are kept\n");
    return kExitUsage;
  }
  if (!command.train.empty()) {
    if (const int code = train(command.train)) {
      fmt::print(stderr, "whitebeam: --train: it ended with exit code {}\n", code);
      return 1;
    }
  }
  if (command.keep && ModuleImages::use(directory).files &&
      !ModuleImages::prune(directory, *command.keep)) {
    fmt::print(stderr, "whitebeam: {} is not yours alone (or not a directory): nothing removed\n",
               directory);
    return 1;
  }
  const ModuleImages::Use use = ModuleImages::use(directory);
  fmt::print("{}: {} modules, {} with hot code, {:.1f} MB of at most {} MB\n", directory,
             use.files - use.hot, use.hot, double(use.bytes) / (1 << 20),
             ModuleImages::kLimit >> 20);
  return 0;
}

}  // namespace wb
