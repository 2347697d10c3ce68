// CLI11 reports by C++ exceptions: this is the one file that is compiled with them, and none leaves
// it. Two things are not CLI11's: `-pa`, `-nostick` (one dash, as erl has them), and that
// everything after PROGRAM belongs to the program, dashes included.
#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <functional>
#include <iostream>

#include "vm/io/outside.h"
#include "vm/process/policies.h"

namespace wb {
namespace {

constexpr const char* kAbout = R"(Whitebeam runs .beam files (of OTP 25 to 29) on every core.

  whitebeam run hello.erl              compile (cached), call hello:main(Args)
  whitebeam run hello.beam main a b    the same with arguments, from a .beam file
  whitebeam run -pa ebin shop          a module of the code path
  whitebeam explore shop.erl           many interleavings of its processes: which go wrong
  whitebeam replay shop.record         what `run --record shop.record` has kept, once more
  whitebeam build -o shop shop.erl     one file that runs where there is no OTP
  whitebeam observe                    what a running machine does (--web: as a page)
  whitebeam erl                        OTP's shell: OTP as `erl` boots it, with erl's arguments
  whitebeam install DIR                an OTP root of links whose tools run on Whitebeam
  whitebeam disasm hello.beam          its instructions
  whitebeam doctor                     what this machine and this build have
)";

constexpr const char* kRunAbout =
    R"(PROGRAM is a .beam file, an .erl file (compiled with erlc, cached), or the name of a module. Calls
FUNCTION (default: main) with the list of ARGS as strings, or without arguments if the module only
has FUNCTION/0. OTP's modules are found by themselves, and those of the libraries in
ERL_LIBS; directories given with -pa come first.

Exit code: 0 when FUNCTION returned, N after halt(N), 1 after an uncaught error (reported on
standard error), 2 when the program could not be started, 71 when memory is out, 72 when nothing
can happen any more (with --seed), 128 + N when signal N ended it.)";

constexpr const char* kExploreAbout =
    R"(Each run begins in the same state and differs in who runs when, and when timers fire. Endings that the
usual run has, too (a server that is left, a worker that crashes), are no news. For each class of
endings: how often, the first seed, the few switches that make it, and its story.

Exit code: 0 when all runs ended as the usual one or as --allow has it, 1 when others did, 2 when
the program could not be started.)";

constexpr const char* kReplayAbout =
    R"(All that the program got from outside (time, files, sockets, programs, signals) comes from the file.
Nothing outside is touched but standard output and standard error, which get what they got then.

Exit code: that of the recorded run, 0 where the recording was cut short, 2 when it cannot be
replayed (another build, damaged, no program), 3 when the program does something else than then.)";

constexpr const char* kBuildAbout =
    R"(The file holds Whitebeam, the program's modules, those of OTP and other libraries that they call,
and their native libraries. It runs on a computer that has no OTP but the shared libraries of
Whitebeam. When it is started for the first time it unpacks itself below ~/.cache/whitebeam/programs.
With --train it is at full speed from then on: `whitebeam build -o shop --train 'shop a b' shop.erl`.
Its arguments are the program's; WHITEBEAM_FLAGS has more options of `run`.)";

/// A flag of `run` whose value is the next argument.
bool takes_value(std::string_view arg) {
#define OPTION(type, field, otherwise, flag, value, check, help) \
  if (*value && arg == flag) return true;
#include "vm/machine/run_options.def"
  return false;
}

/// `-pa` becomes `--pa`, and so on, where it is an option of ours: of `run` before PROGRAM, of
/// `explore` anywhere before `--`.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const bool runs = !args.empty() && args[0] == "run";
  if (!runs && (args.empty() || args[0] != "explore")) return args;
  for (size_t i = 1; i < args.size() && args[i] != "--"; ++i) {
    std::string& arg = args[i];
    if (runs && !arg.starts_with("-")) break;
    if (arg == "-pa" || arg == "-pz" || (runs && arg == "-nostick")) arg.insert(0, "-");
    if (takes_value(arg)) ++i;
  }
  return args;
}

// --- checks of the .def files --------------------------------------------------------------------
using Check = std::function<void(CLI::Option*)>;
void any(CLI::Option*) {}
void wanted(CLI::Option* option) { option->required(); }
void directory(CLI::Option* option) { option->check(CLI::ExistingDirectory); }
void with_seed(CLI::Option* option) { option->needs("--seed"); }
void no_seed(CLI::Option* option) { option->excludes("--seed"); }
void faults(CLI::Option* option) {
  option->check([](const std::string& text) {
    const auto set = parse_faults(text);
    return set ? "" : set.error();
  });
}
void seeded_faults(CLI::Option* option) { with_seed(option), faults(option); }
void policy(CLI::Option* option) {
  option->check([](const std::string& text) {
    PolicyChoice choice;
    return parse_policy(text, &choice)
               ? ""
               : "no policy of a machine: default, periodic:MS (1 to 10000) or oldest_first:BOUND";
  });
}
void size(CLI::Option* option) { option->transform(CLI::AsSizeValue(false)); }
template <class N>
Check between(N least, N most) {
  return [=](CLI::Option* option) { option->check(CLI::Range(least, most)); };
}
template <class... Word>
Check one_of(Word... words) {
  return [list = std::vector<std::string>{words...}](CLI::Option* option) {
    option->check(CLI::IsMember(list));
  };
}

std::string in_lines(std::string text) {
  constexpr size_t kLine = 86;
  for (size_t begin = 0; text.size() - begin > kLine;) {
    size_t space = text.rfind(' ', begin + kLine);
    text[space] = '\n';
    begin = space + 1;
  }
  return text;
}

template <class T>
void add_option(CLI::App* app, T& field, const char* flag, const char* value,
                const std::string& help, const Check& check) {
  // One with braces is a flag that may have a value.
  constexpr bool is_flag = std::is_same_v<T, bool>, is_text = std::is_same_v<T, std::string>;
  if constexpr (is_flag || is_text) {
    if (is_flag || strchr(flag, '{')) return check(app->add_flag(flag, field, help));
  }
  CLI::Option* option = app->add_option(flag, field, help);
  if (*value) option->type_name(value);
  // Its directories come one by one.
  if constexpr (std::is_same_v<T, std::vector<std::string>>) option->allow_extra_args(false);
  check(option);
}

/// CLI11 does not know that PROGRAM and what follows are wanted, and takes an option that may come
/// again for one with several values.
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: whitebeam run [OPTIONS] PROGRAM [FUNCTION] [ARGS...]\n";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    constexpr std::string_view several = " ...";
    if (text.ends_with(several)) text.resize(text.size() - several.size());
    return text;
  }
};

struct Parser {
  CLI::App app{kAbout, "whitebeam"};
  RunCommand run_command;
  RunOptions& run = run_command.options;
  DisasmCommand disasm;
  DoctorCommand doctor;
  ObserveCommand observe;
  InstallCommand install;
  BindirCommand bindir;
  ImageCommand image;
  BuildCommand build;
  ExploreCommand explore;
  ReplayCommand replay;
  CLI::App *run_app, *disasm_app, *doctor_app, *observe_app, *install_app, *bindir_app, *image_app,
      *explore_app, *build_app, *replay_app;

  Parser() {
    app.set_version_flag("--version", "whitebeam " WB_VERSION);
    app.require_subcommand(1);
    add_run();
    add_explore();
    add_replay();
    add_disasm();
    add_doctor();
    add_observe();
    add_erl();
    add_build();
  }

  void add_run() {
    run_app = app.add_subcommand("run", "Run a program.");
    run_app->footer(kRunAbout);
    run_app->formatter(std::make_shared<RunFormatter>());
    run_app->prefix_command();
    add_run_options();
  }

  void add_run_options() {
#define ADD_OPTION(app, command, field, flag, value, how, help) \
  add_option(app, (command).field, flag, value, in_lines(help), how);
#define OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(run_app, run, field, flag, value, check, help)
#include "vm/machine/run_options.def"
#define RUN_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(run_app, run_command, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_explore() {
    explore_app = app.add_subcommand("explore", "Run many interleavings of a program's processes.");
    explore_app->footer(kExploreAbout);
    RunOptions& o = explore.options;
    explore_app->add_option("PROGRAM", o.program, "as of `run`")->required();
    explore_app->add_option("ARGS", o.args, "the program's (after --, if they begin with a dash)");
    explore_app->add_option("--function", o.function, "called with them (default: main)");
    add_option(explore_app, o.code_paths, "--pa", "DIR",
               "directory of .beam files, searched first (also -pa)", any);
    add_option(explore_app, o.last_paths, "--pz", "DIR",
               "directory of .beam files, searched last (also -pz)", any);
    add_option(explore_app, o.otp_root, "--otp", "DIR", "OTP's root", any);
#define EXPLORE_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(explore_app, explore, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_replay() {
    replay_app = app.add_subcommand("replay", "Repeat a run that `run --record` has kept.");
    replay_app->footer(kReplayAbout);
#define REPLAY_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(replay_app, replay, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_disasm() {
    disasm_app = app.add_subcommand("disasm", "Print the instructions of a .beam file.");
#define DISASM_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(disasm_app, disasm, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_doctor() {
    doctor_app = app.add_subcommand(
        "doctor", "Show what was found on this machine and what is not there yet.");
#define DOCTOR_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(doctor_app, doctor, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_observe() {
    observe_app = app.add_subcommand("observe", "Look into a running machine.");
#define OBSERVE_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(observe_app, observe, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_erl() {
    app.add_subcommand("erl",
                       "Boot OTP as `erl` does; ARGS are erl's, behind --otp DIR of another OTP.")
        ->prefix_command();
    install_app = app.add_subcommand("install", "Make a directory whose bin/erl is Whitebeam.");
#define INSTALL_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(install_app, install, field, flag, value, check, help)
#include "tools/options.def"
    image_app =
        app.add_subcommand("image", "Show or remove what is kept of modules loaded before.");
#define IMAGE_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(image_app, image, field, flag, value, check, help)
#include "tools/options.def"
    bindir_app =
        app.add_subcommand("bindir", "Print the bin/ of an OTP root whose bin/erl is Whitebeam.");
#define BINDIR_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(bindir_app, bindir, field, flag, value, check, help)
#include "tools/options.def"
  }

  void add_build() {
    build_app = app.add_subcommand("build", "Make one executable file of a program.");
    build_app->footer(kBuildAbout);
#define BUILD_OPTION(type, field, otherwise, flag, value, check, help) \
  ADD_OPTION(build_app, build, field, flag, value, check, help)
#include "tools/options.def"
#undef ADD_OPTION
  }

  CommandLine result() {
    if (observe_app->parsed()) return observe;
    if (explore_app->parsed()) return explore;
    if (replay_app->parsed()) return replay;
    if (disasm_app->parsed()) return disasm;
    if (doctor_app->parsed()) return doctor;
    if (install_app->parsed()) return install;
    if (image_app->parsed()) return image;
    if (build_app->parsed()) return build;
    if (bindir_app->parsed()) return bindir;
    std::vector<std::string> rest = run_app->remaining();
    if (!rest.empty() && rest[0] == "--") rest.erase(rest.begin());
    if (rest.empty()) throw CLI::RequiredError("PROGRAM");
    if (rest[0].starts_with("-")) throw CLI::ExtrasError({rest[0]});
    run.program = rest[0];
    run.function = rest.size() > 1 ? rest[1] : "main";
    if (rest.size() > 2) run.args.assign(rest.begin() + 2, rest.end());
    return run_command;
  }
};

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  Parser parser;
  try {
    std::vector<std::string> args = arguments(argc, argv);
    std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
    parser.app.parse(std::move(args));
    return parser.result();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return parser.app.exit(error, std::cout, std::cerr);
    std::cerr << "whitebeam: " << error.what() << "\n"
              << "Run `whitebeam --help` or `whitebeam run --help` for more.\n";
    return kExitUsage;
  }
}

bool parse_run_options(const std::string& text, RunOptions* options, std::string* error) {
  Parser parser;
  try {
    parser.app.parse("run " + text);
    if (parser.run_app->remaining_size()) {
      *error = "unknown: " + parser.run_app->remaining()[0];
      return false;
    }
    *options = parser.run;
    return true;
  } catch (const CLI::ParseError& e) {
    *error = e.what();
    return false;
  }
}

}  // namespace wb
