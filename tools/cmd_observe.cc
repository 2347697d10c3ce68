// `whitebeam observe`: looks into a running machine (vm/observe/, docs/observer-protocol.md).
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/observer/alarm.h"
#include "tools/observer/app.h"
#include "tools/observer/client.h"
#include "tools/observer/dump_reader.h"
#include "tools/observer/history.h"
#include "tools/observer/picker.h"
#include "tools/observer/print.h"
#include "tools/observer/story_answers.h"
#include "tools/observer/web_access.h"
#include "tools/observer/web_server.h"

namespace wb {

namespace {

int serve_page(const ObserveCommand& command) {
  WebOptions options{command.machine,       command.filter,   command.port,
                     command.allow_actions, command.interval, {}};
  std::string error;
  if (!command.token_file.empty()) {
    options.token = token_from_file(command.token_file, &error);
    if (!error.empty()) {
      fmt::print(stderr, "whitebeam: {}\n", error);
      return kExitUsage;
    }
  }
  error = serve_web(options, [](const std::string& address) {
    fmt::print("{}\n", address);
    fflush(stdout);
  });
  if (error.empty()) return 0;
  fmt::print(stderr, "whitebeam: {}\n", error);
  return kExitUsage;
}

/// It is to show, not to print or to write.
bool is_full_screen(const ObserveCommand& command) {
  const bool writes = !command.record.empty() || !command.ask.empty() || !command.alarms.empty() ||
                      !command.flame.empty() || !command.speedscope.empty() ||
                      !command.pprof.empty() || !command.perfetto.empty();
  const bool prints = command.once || command.json || command.open_metrics;
  return !command.web && !writes && !prints && isatty(0) && isatty(1);
}

/// The full-screen program.
int show(ObserverClient& client, const ObserveCommand& command, std::string* error) {
  const AppOptions options{command.filter, command.allow_actions,
                           static_cast<int>(command.interval * 1000)};
  return run_observer(client, options, error);
}

/// Of several machines one after the other, as the user chooses them.
int show_several(const ObserveCommand& command) {
  MachineList list;
  std::string error;
  for (pid_t pid = 0; (pid = pick_machine(list, pid, &error));) {
    ObserverClient client;
    const std::string socket = find_machine(std::to_string(pid), &error);
    if (!socket.empty() && client.connect(socket).empty()) show(client, command, &error);
  }
  if (error.empty()) return 0;
  fmt::print(stderr, "whitebeam: {}\n", error);
  return kExitUsage;
}

int complain(const std::string& error) {
  fmt::print(stderr, "whitebeam: {}\n", error);
  return kExitUsage;
}

/// Their conditions; why not in *error.
std::vector<AlarmCondition> alarms_of(const ObserveCommand& command, std::string* error) {
  std::vector<AlarmCondition> conditions;
  for (const std::string& text : command.alarms) {
    std::string why;
    std::optional<AlarmCondition> condition = AlarmCondition::parse(text, &why);
    if (!condition) *error = "--alarm: " + why;
    if (condition) conditions.push_back(*condition);
  }
  if (conditions.empty() && error->empty() && !command.alarm_command.empty())
    *error = "--alarm-command: there is no --alarm";
  return conditions;
}

/// Until the machine ends.
int record(ObserverClient& client, const ObserveCommand& command) {
  HistoryFile file;
  std::string error = file.create(command.record);
  if (error.empty()) error = record_history(client, file, std::max(1.0, command.interval));
  return error.empty() ? 0 : complain("--record: " + error);
}

/// What it asks for goes on for a while.
bool follows(const ObserveCommand& command) {
  return !command.record.empty() || !command.alarms.empty() || !command.flame.empty() ||
         !command.speedscope.empty() || !command.pprof.empty() || !command.perfetto.empty() ||
         command.open_metrics;
}

/// A file of `explore --save`: there is nothing to follow.
int show_story(const ObserveCommand& command) {
  std::string error;
  ObserverClient client;
  if (command.web) {
    error = client.connect(command.machine);
    return error.empty() ? serve_page(command) : complain(error);
  }
  if (!command.ask.empty()) {
    std::string raw;
    error = client.connect(command.machine);
    if (error.empty() && client.ask(command.ask, &raw)) puts(raw.c_str());
    return error.empty() ? 0 : complain(error);
  }
  if (follows(command))
    return complain(command.machine + ": a story does not run: nothing to follow");
  return print_story(command.machine, command.json, &error) ? 0 : complain(error);
}

}  // namespace

int cmd_observe(const ObserveCommand& command) {
  std::string error;
  const std::vector<AlarmCondition> alarms = alarms_of(command, &error);
  if (!error.empty()) return complain(error);
  if (StoryAnswers::is_story(command.machine)) return show_story(command);
  if (is_history(command.machine) && !DumpReader::is_dump(command.machine)) {
    if (print_history(command.machine, command.json, &error)) return 0;
    return complain(error);
  }
  if (command.web && command.machine.empty() && running_machines().size() > 1)
    return serve_page(command);  // of all
  if (command.machine.empty() && is_full_screen(command) && running_machines().size() > 1)
    return show_several(command);
  std::string socket = find_machine(command.machine, &error);
  ObserverClient client;
  if (!socket.empty()) error = client.connect(socket);
  if (error.empty() && client.ask(R"({"do":"hello"})").is_null()) error = client.error();
  if (!error.empty()) {
    fmt::print(stderr, "whitebeam: {}\n", error);
    return kExitUsage;
  }
  if (client.is_dump() && follows(command))
    return complain(command.machine + ": a crash dump does not run: there is nothing to follow");
  if (command.web) {
    client.close();
    return serve_page(command);
  }
  if (!command.record.empty()) return record(client, command);
  bool answered = true;
  if (!command.ask.empty()) {
    std::string raw;
    answered = client.ask(command.ask, &raw);
    if (answered) puts(raw.c_str());
  } else if (!alarms.empty()) {
    answered = watch_alarms(client, alarms, command.alarm_command, command.interval);
  } else if (command.json) {
    answered = print_json(client, command.filter);
  } else if (command.open_metrics) {
    answered = print_open_metrics(client);
  } else if (!command.flame.empty()) {
    answered = write_profile(client, command.flame, command.interval, ProfileForm::folded);
  } else if (!command.speedscope.empty()) {
    answered = write_profile(client, command.speedscope, command.interval, ProfileForm::speedscope);
  } else if (!command.pprof.empty()) {
    answered = write_profile(client, command.pprof, command.interval, ProfileForm::pprof);
  } else if (!command.perfetto.empty()) {
    answered = write_perfetto(client, command.perfetto, command.interval);
  } else if (!is_full_screen(command)) {
    answered = print_once(client, command.filter);
  } else {
    const int code = show(client, command, &error);
    if (!error.empty()) fmt::print(stderr, "whitebeam: {}\n", error);
    return code;
  }
  if (answered) return 0;
  fmt::print(stderr, "whitebeam: {}\n", client.error());
  return 1;
}

}  // namespace wb
