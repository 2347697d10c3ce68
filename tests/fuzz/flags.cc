// libFuzzer: the emulator's flags, one a line, as they come from the command line, ERL_FLAGS and
// files of arguments.
#include <algorithm>

#include "base/base.h"
#include "vm/boot/emulator_flags.h"

using namespace wb;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> arguments{"erl"};
  std::string one;
  for (size_t k = 0; k < size; k++) {
    if (data[k] == 0) continue;  // no argument has one
    if (data[k] != '\n') {
      one += static_cast<char>(data[k]);
      continue;
    }
    arguments.push_back(std::move(one));
    one.clear();
  }
  arguments.push_back(one);
  EmulatorFlags flags;
  std::string complaint;
  if (!parse_emulator_flags(arguments, &flags, &complaint)) return 0;
  WB_CHECK(flags.schedulers_online <= std::max(flags.schedulers, 1u) && flags.schedulers <= 1024);
  for (const char* name : {"-root", "-home", "-progname"}) boot_flag(flags, name);
  return 0;
}
