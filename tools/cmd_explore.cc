// `whitebeam explore`: many interleavings of a program, and the story of each bad ending;
// `whitebeam run --schedule`: one of them again.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/own_files.h"
#include "bytecode/beam_file.h"
#include "loader/code_table.h"
#include "scheduler/cpu_count.h"
#include "term/atom.h"
#include "tools/commands.h"
#include "tools/exunit_files.h"
#include "tools/find_program.h"
#include "vm/explore/campaign.h"
#include "vm/explore/search.h"
#include "vm/explore/shrink.h"
#include "vm/explore/story_file.h"

namespace wb {
namespace {

using Steady = std::chrono::steady_clock;
constexpr std::chrono::seconds kShrinkTime{10};  // of one class
constexpr size_t kMostStories = 10;
constexpr unsigned kMostSeconds = 300;  // until a program is ready

int fail(const std::string& message) {
  fmt::print(stderr, "whitebeam: {}\n", message);
  return kExitUsage;
}

/// "60", "60s", "500ms", "2m": milliseconds; negative: it is none.
double duration_ms(const std::string& text) {
  char* end = nullptr;
  const double n = strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit.empty() || unit == "s" ? 1e3
                       : unit == "ms"              ? 1
                       : unit == "m"               ? 6e4
                       : unit == "h"               ? 3.6e6
                                                   : -1;
  return end == text.c_str() || !std::isfinite(n) || n <= 0 ? -1 : n * scale;
}

std::string kind_names() {
  std::string names;
  for (size_t k = 0; k < kEndingKinds; ++k)
    names += (k ? ", " : "") + std::string(ending_name(static_cast<EndingKind>(k)));
  return names;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The line that a terminal shows while it runs.
class Screen {
 public:
  explicit Screen(const CampaignPlan& plan) : plan_(plan), shows_(isatty(STDERR_FILENO)) {}
  void show(const CampaignState& s) {
    if (!shows_) return;
    const double seconds = s.elapsed.count(), rate = double(s.runs) / std::max(seconds, 1e-3);
    double left = plan_.runs ? double(plan_.runs - s.runs) / std::max(rate, 1.0) : 1e9;
    if (plan_.time.count()) left = std::min(left, double(plan_.time.count()) / 1e3 - seconds);
    const auto whole = static_cast<long>(std::max(left, 0.0) + 0.5);
    std::string classes;
    for (const EndingClass& c : s.classes)
      classes += fmt::format(" {} {}", c.count, ending_name(c.ending.kind));
    fmt::print(stderr, "\r{} runs, {:.0f} a second, {}:{:02} left:{}\x1b[K", s.runs, rate,
               whole / 60, whole % 60, classes.substr(0, 100));
    fflush(stderr);
  }
  void clear() {
    if (shows_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  const CampaignPlan& plan_;
  const bool shows_;
};

void print_switches(const Switches& switches) {
  if (switches.empty()) return fmt::print("  without any switch: the usual run does it\n");
  fmt::print("  {} switch{} from the usual run:\n", switches.size(),
             switches.size() == 1 ? "" : "es");
  constexpr size_t kMost = 20;
  for (size_t k = 0; k < switches.size() && k < kMost; ++k)
    fmt::print("    {}\n", switch_text(switches[k]));
  if (switches.size() > kMost) fmt::print("    ... and {} more\n", switches.size() - kMost);
}

/// Empty, or why not; then there is no such file.
std::string write_file(const std::string& path, const std::string& text) {
  FileDescriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int wrong = fd < 0 ? errno : write_all(fd, text.data(), text.size());
  if (fd >= 0 && !wrong) wrong = fd.close();
  if (!wrong) return {};
  struct stat about;
  if (lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode)) unlink(path.c_str());
  return fmt::format("cannot write {}: {}", path, strerror(wrong));
}

/// What is kept of bad endings, and where.
class Keeper {
 public:
  /// `name`: of the files. Without `repeats` only stories: no schedule would repeat it.
  Keeper(const ExploreCommand& command, std::string name, bool repeats)
      : command_(command), name_(std::move(name)), repeats_(repeats) {
    constexpr size_t kLongest = 100;
    for (char& c : name_) {
      const bool plain = isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '@';
      if (!plain) c = '-';
    }
    name_.resize(std::min(name_.size(), kLongest));
  }
  bool keeps() const { return !command_.save.empty(); }

  void keep(const Runner& runner, StoryFile story, const Switches& few, const Outcome& told,
            size_t number) const {
    const std::string path =
        fmt::format("{}/{}-{}-{}", command_.save, name_, ending_name(story.ending.kind), number);
    if (repeats_) {
      Schedule schedule = runner.heading();
      schedule.ending =
          fmt::format("{}: {}", ending_name(story.ending.kind), first_line(story.ending.text));
      schedule.switches = few;
      const std::string command =
          fmt::format("whitebeam run --schedule {}.schedule {}", path, command_.asked);
      if (write(path + ".schedule", to_file(schedule)))
        fmt::print("  repeat it: {}\n", story.repeat = command);
    }
    for (const Switch& s : few) story.switches.push_back(switch_text(s));
    if (write(path + ".story", to_file(story, told.telling)))
      fmt::print("  see it: whitebeam observe --web {}.story\n", path);
  }

 private:
  static bool write(const std::string& path, const std::string& text) {
    const std::string error = write_file(path, text);
    if (!error.empty()) fmt::print(stderr, "whitebeam: {}\n", error);
    return error.empty();
  }
  const ExploreCommand& command_;
  std::string name_;
  const bool repeats_;
};

/// Shrinks the first run of a class, tells its story, and keeps it if that is wanted. `name`: of
/// what is explored.
void tell_class(Runner& runner, const EndingClass& c, const Keeper& keeper, const std::string& name,
                size_t number) {
  fmt::print("\n--- {}, {} times{}\n", ending_name(c.ending.kind), c.count,
             c.switches ? "" : fmt::format(", first with seed {}", c.first_seed));
  const Outcome first = runner.run(
      {.switches = c.switches ? &*c.switches : nullptr, .seed = c.first_seed, .records = true});
  const Outcome again = runner.run({.switches = &first.switches, .records = true});
  if (!is_same_class(again.ending, c.ending)) {
    fmt::print("{}\n  its switches do not repeat it: with the seed alone\n", c.ending.text);
    return;
  }
  const Switches left = shrink(runner, again.switches, c.ending, Steady::now() + kShrinkTime);
  const Switches few = fewer(runner, left, c.ending, kShrinkTime);
  const Outcome told = runner.run({.switches = &few, .story = true, .events = keeper.keeps()});
  fmt::print("{}\n", told.ending.text);
  print_switches(few);
  fmt::print("{}", told.story);
  if (keeper.keeps())
    keeper.keep(runner, {.program = name, .ending = told.ending}, few, told, number);
}

std::string search_text(const SearchState& s, uint32_t most) {
  if (!s.complete)
    return fmt::format("{} orders of dependent operations; there are more\n", s.different);
  if (!s.refused)
    return fmt::format("{} orders of dependent operations: all there are\n", s.different);
  return fmt::format("{} orders of dependent operations: all with at most {} switches\n",
                     s.different, most);
}

/// What is asked, understood.
struct Order {
  std::set<EndingKind> allowed = {EndingKind::result};
  CampaignPlan plan;
  ExploreRules rules;
};

/// What is wrong with it, or empty.
std::string understand(const ExploreCommand& command, Order* order) {
  for (const std::string& name : command.allowed) {
    size_t kind = 0;
    while (kind < kEndingKinds && name != ending_name(static_cast<EndingKind>(kind))) ++kind;
    if (kind == kEndingKinds) return fmt::format("--allow {}: not one of {}", name, kind_names());
    order->allowed.insert(static_cast<EndingKind>(kind));
  }
  CampaignPlan& plan = order->plan;
  plan.first_seed = command.first_seed, plan.runs = command.runs;
  plan.jobs = command.jobs ? command.jobs : usable_cpus();
  if (!command.time.empty()) {
    const double ms = duration_ms(command.time);
    if (ms < 0) return fmt::format("--for {}: not a time, such as 60s or 5m", command.time);
    plan.time = std::chrono::milliseconds(static_cast<int64_t>(std::ceil(ms)));
  }
  if (!plan.runs && !plan.time.count())
    plan.runs = command.eunit || command.exunit ? 1'000 : 10'000;
  ExploreRules& rules = order->rules;
  rules.strategy = command.strategy == "random" ? StrategyKind::random
                   : command.strategy == "pct"  ? StrategyKind::pct
                                                : StrategyKind::mixed;
  rules.depth = command.depth, rules.limits.steps = command.steps;
  rules.limits.patience_ns = command.patience * 1'000'000;
  if (auto faults = parse_faults(command.faults)) rules.faults = *faults;
  return {};
}

/// What the program needs is not ready: a service that waits for the outside.
void is_late(int) {
  constexpr std::string_view kText = "whitebeam: what the program needs does not get ready\n";
  (void)!write(STDERR_FILENO, kText.data(), kText.size());
  _exit(kExitUsage);
}

Runner::Made make_runner(const Order& order, const RunOptions& options) {
  signal(SIGCHLD, SIG_DFL);  // who started it may have it ignored, and then nobody can wait
  signal(SIGALRM, is_late);
  alarm(kMostSeconds);
  Runner::Made made = Runner::make(options, order.rules, nullptr);
  alarm(0);
  signal(SIGPIPE, SIG_DFL);  // the machine ignores it
  return made;
}

/// Explores what it runs; `name`: for people. The exit code.
int explore(Runner& runner, const ExploreCommand& command, const Keeper& keeper, const Order& order,
            const std::string& name) {
  CampaignPlan plan = order.plan;
  auto is_bad = [&](const EndingClass& c) { return !order.allowed.contains(c.ending.kind); };
  if (command.stop) {
    plan.is_enough = [&](const CampaignState& s) { return std::ranges::any_of(s.classes, is_bad); };
  }
  // Runs that work on the same files get into each other's way.
  if (!command.jobs && (runner.changes_files() || !command.faults.empty())) plan.jobs = 1;
  Screen screen(plan);
  auto show = [&](const CampaignState& s) { screen.show(s); };
  CampaignState state;
  std::string search;
  if (command.strategy == "exhaustive-bounded") {
    const SearchState found = run_search(runner, plan, command.depth, show);
    state = found;
    search = search_text(found, command.depth);
  } else {
    state = run_campaign(runner, plan, show);
  }
  screen.clear();
  const double seconds = state.elapsed.count();
  fmt::print("{} runs of {} in {:.1f} s, {:.0f} a second; {:.1f} choices a run\n", state.runs, name,
             seconds, double(state.runs) / std::max(seconds, 1e-3),
             double(state.choices) / double(std::max<uint64_t>(state.runs, 1)));
  for (const EndingClass& c : state.classes)
    fmt::print("{:>9}  {:<11} {}\n", c.count, ending_name(c.ending.kind),
               first_line(c.ending.text).substr(0, 150));
  fmt::print("{}", search);
  if (state.not_kept) fmt::print("{:>9}  of further classes\n", state.not_kept);
  size_t told = 0;
  for (const EndingClass& c : state.classes) {
    if (!is_bad(c) || told == kMostStories) continue;
    fflush(stdout);
    tell_class(runner, c, keeper, name, ++told);
  }
  fflush(stdout);
  if (state.interrupted) return 130;
  return std::ranges::any_of(state.classes, is_bad) ? 1 : 0;
}

/// `test`: of EUnit, NAME/0; empty: the program.
int explore(const ExploreCommand& command, const Order& order, const RunOptions& options,
            const std::string& module, const std::string& test) {
  Runner::Made made = make_runner(order, options);
  if (!made) return fail(made.error());
  Runner& runner = **made;
  if (test.empty())
    return explore(runner, command, {command, runner.name(), true}, order, runner.name());
  const Keeper keeper(command, module + "-" + test, order.rules.entry.empty());
  return explore(runner, command, keeper, order, fmt::format("{}:{}/0", module, test));
}

/// Names of functions NAME/0 of a .beam file that EUnit takes for tests.
std::vector<std::string> tests_of(const std::string& path) {
  std::vector<std::string> tests;
  auto bytes = read_file_bytes(path);
  if (!bytes) return tests;
  Result<BeamFile> file = parse_beam(std::move(*bytes), path);
  if (!file) return tests;
  for (const BeamExport& e : file->exports) {
    const std::string name(atom_text(e.function));
    if (e.arity == 0 && (name.ends_with("_test") || name.ends_with("_test_")))
      tests.push_back(name);
  }
  return tests;
}

/// The tests of a module, each by itself. Those of a generator are one.
int explore_eunit(const ExploreCommand& command, const Order& order) {
  const RunOptions& options = command.options;
  const std::vector<std::string> tests = tests_of(options.program);
  std::string module = options.program.substr(options.program.rfind('/') + 1);
  module.resize(module.size() - std::string_view(".beam").size());
  if (tests.empty()) return fail(fmt::format("{}: no tests (NAME_test/0, NAME_test_/0)", module));
  int exit_code = 0;
  for (const std::string& test : tests) {
    RunOptions one = options;
    Order own = order;
    one.function = test, one.args.clear();
    if (test.ends_with("_")) {
      own.rules.entry = "whitebeam_explore";
      one.function = "generator", one.args = {module, test};
    }
    const int code = explore(command, own, one, module, test);
    if (code > 1) return code;
    exit_code = std::max(exit_code, code);
  }
  return exit_code;
}

/// Of FILE:LINE the line, taken off; 0: there is none.
int take_line(std::string* file) {
  const size_t colon = file->rfind(':');
  if (colon == std::string::npos || colon + 1 == file->size() || colon + 9 < file->size()) return 0;
  const std::string digits = file->substr(colon + 1);
  if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) return 0;
  file->resize(colon);
  return std::stoi(digits);
}

struct ExunitTest {
  int line = 0;
  std::string label;
};
/// What whitebeam_explore:list/1 prints. `*error`: what it says instead.
std::vector<ExunitTest> tests_listed(const std::string& text, std::string* error) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  if (line != "ok") *error = text;
  std::vector<ExunitTest> tests;
  while (error->empty() && std::getline(lines, line)) {
    const size_t space = std::min(line.find(' '), line.size() - 1);
    tests.push_back({std::atoi(line.c_str()), line.substr(space + 1)});
  }
  return tests;
}

/// Those of a file or a directory, each by itself: its runs all begin where its files are loaded.
int explore_exunit(ExploreCommand command, Order order) {
  RunOptions options = command.options;
  const int wanted = take_line(&options.program);
  const ExunitFiles files = find_exunit_files(options.program);
  if (!files.error.empty()) return fail(files.error);
  options.program.clear(), options.args.clear();
  if (std::string error = find_otp(&options); !error.empty()) return fail(error);
  if (!command.save.empty()) command.save = std::filesystem::absolute(command.save);
  if (chdir(files.directory.c_str()) < 0)
    return fail(fmt::format("{}: {}", files.directory, strerror(errno)));
  order.rules.entry = "whitebeam_explore", order.rules.preparation = files.preparation;
  Runner::Made made = make_runner(order, options);
  if (!made) return fail(made.error());
  Runner& runner = **made;
  std::string error;
  const std::vector<ExunitTest> tests = tests_listed(runner.ask("list"), &error);
  if (!error.empty()) return fail(error);
  int last = 0;  // that of the test which has the wanted line
  for (const ExunitTest& t : tests)
    if (t.line <= wanted) last = std::max(last, t.line);
  int exit_code = -1;
  for (size_t k = 0; k < tests.size(); ++k) {
    if (wanted && tests[k].line != last) continue;
    runner.aim("exunit", {std::to_string(k + 1)});
    const Keeper keeper(command, fmt::format("{}-{}", k + 1, tests[k].label), false);
    const int code = explore(runner, command, keeper, order, tests[k].label);
    if (code > 1) return code;
    exit_code = std::max(exit_code, code);
  }
  return exit_code < 0 ? fail(fmt::format("{}: no tests", command.options.program)) : exit_code;
}

}  // namespace

int cmd_explore(ExploreCommand command) {
  Order order;
  if (std::string error = understand(command, &order); !error.empty()) return fail(error);
  command.asked = command.options.program;
  if (command.exunit) {
    if (command.eunit) return fail("--eunit and --exunit: one of them");
    return explore_exunit(command, order);
  }
  if (std::string error = find_program(&command.options); !error.empty()) return fail(error);
  if (command.options.program.empty()) return kExitUsage;
  return command.eunit ? explore_eunit(command, order)
                       : explore(command, order, command.options, "", "");
}

int run_schedule(const std::string& path, RunOptions options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(fmt::format("--schedule {}: cannot be read", path));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  Result<Schedule, std::string> read = schedule_of_file(text);
  if (!read) return fail(fmt::format("--schedule {}: {}", path, read.error()));
  const Schedule& schedule = *read;
  options.function = schedule.function, options.args = schedule.args;
  ExploreRules rules;
  rules.limits.patience_ns = schedule.patience_ms * 1'000'000;
  rules.faults = FaultSet::all();  // those of its switches
  signal(SIGCHLD, SIG_DFL);
  Runner::Made made = Runner::make(options, rules, &schedule);
  if (!made) return fail(made.error());
  Runner& runner = **made;
  if (const Schedule own = runner.heading(); own.program != schedule.program)
    return fail(fmt::format("--schedule {}: of the program {}", path, schedule.program));
  else if (own.code != schedule.code)
    return fail(
        fmt::format("--schedule {}: {} has changed since; explore again", path, own.program));
  const Outcome o = runner.run({.switches = &schedule.switches, .story = true, .prints = true});
  fmt::print(stderr, "{}{}: {}\n", o.story, ending_name(o.ending.kind), o.ending.text);
  return o.ending.kind == EndingKind::result ? 0 : 1;
}

}  // namespace wb
