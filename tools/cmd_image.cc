// `whitebeam image`: the images of modules (loader/module_images.h) that runs have left.
#include <cstdio>

#include <fmt/format.h>

#include "loader/module_images.h"
#include "tools/commands.h"

namespace wb {

int cmd_image(const ImageCommand& command) {
  const std::string directory = ModuleImages::usual_directory();
  if (directory.empty()) {
    fmt::print(stderr, "whitebeam: neither XDG_CACHE_HOME nor HOME is set: no images are kept\n");
    return kExitUsage;
  }
  if (command.keep && ModuleImages::use(directory).files &&
      !ModuleImages::prune(directory, *command.keep)) {
    fmt::print(stderr, "whitebeam: {} is not yours alone (or not a directory): nothing removed\n",
               directory);
    return 1;
  }
  const ModuleImages::Use use = ModuleImages::use(directory);
  fmt::print("{}: {} modules, {:.1f} MB of at most {} MB\n", directory, use.files,
             double(use.bytes) / (1 << 20), ModuleImages::kLimit >> 20);
  return 0;
}

}  // namespace wb
