// `whitebeam replay`: the run that `run --record` has kept, once more.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/recording.h"
#include "tools/commands.h"
#include "vm/machine/recorded_command.h"

namespace wb {
namespace {

/// `recording`: its path from anywhere.
DebuggerStart start_of(const ReplayCommand& command, const std::string& recording) {
  DebuggerStart start;
  start.breaks = command.breaks;
  start.slice = command.to.value_or(0);
  // With breakpoints alone the first stop is at one.
  start.goes_on = !command.debug && !command.to;
  start.restart = [recording](const DebuggerStart& again) {
    std::vector<std::string> words = {"whitebeam", "replay", "--to", std::to_string(again.slice)};
    for (const std::string& which : again.breaks) words.insert(words.end(), {"--break", which});
    words.push_back(recording);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv("/proc/self/exe", argv.data());
  };
  return start;
}

}  // namespace

int cmd_replay(const ReplayCommand& command) {
  auto fail = [](const std::string& text) {
    fmt::print(stderr, "whitebeam: {}\n", text);
    return kExitUsage;
  };
  RunOptions options;
  {
    const Recording::Made recording = Recording::open(command.file);
    if (!recording) return fail(recording.error());
    // Files are named from here.
    options.replay = std::filesystem::absolute(command.file);
    if (!command.event_log.empty())
      options.event_log = std::filesystem::absolute(command.event_log);
    if (command.debug || command.to || !command.breaks.empty())
      options.debug = start_of(command, options.replay);
    std::string directory;
    const std::string wrong = read_recorded_command((*recording)->head(), &options, &directory);
    if (!wrong.empty()) return fail(command.file + ": " + wrong);
    if (chdir(directory.c_str()) != 0)
      return fail("the directory in which it was started is no more: " + directory);
  }
  return run_program(options);
}

}  // namespace wb
