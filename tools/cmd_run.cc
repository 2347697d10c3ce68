// `whitebeam run`: finds the program, compiles it if it is a source, and hands it to the machine.
#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/find_program.h"
#include "tools/run_observed.h"
#include "vm/observe/history_file.h"

namespace wb {
namespace {

int fail(const std::string& message) {
  fmt::print(stderr, "whitebeam: {}\n", message);
  return kExitUsage;
}

}  // namespace

int cmd_run(RunCommand command) {
  RunOptions& options = command.options;
  if (std::string error = find_program(&options); !error.empty()) return fail(error);
  if (options.program.empty()) return kExitUsage;
  const bool is_recorded = !options.record.empty();
  if (!options.event_log.empty() && !options.seed && !is_recorded)
    return fail("--event-log requires --seed or --record");
  if (!command.schedule.empty()) {
    if (options.seed || is_recorded || command.observe_screen || command.observe_page ||
        !command.history.empty())
      return fail("--schedule: not with --seed, --record, --observe, --observe-web or --history");
    return run_schedule(command.schedule, options);
  }
  if (!command.observe_screen && !command.observe_page && command.history.empty())
    return run_program(options);
  if (!options.observe || options.seed || is_recorded)
    return fail("--no-observe, --seed, --record: nothing can be observed");
  HistoryFile history;
  if (!command.history.empty()) {
    if (command.observe_screen)
      return fail("--history: not with --observe; `whitebeam observe --record` does it");
    if (std::string error = history.create(command.history); !error.empty())
      return fail("--history: " + error);
    keep_history(history);
  }
  if (!command.observe_screen && !command.observe_page) return run_program(options);
  return run_observed(command);
}

}  // namespace wb
