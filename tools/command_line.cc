// CLI11 reports by C++ exceptions: this is the one file that is compiled with them, and none leaves
// it. Two things are not CLI11's: `-pa`, `-nostick` (one dash, as erl has them), and that
// everything after PROGRAM belongs to the program, dashes included.
#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace wb {
namespace {

constexpr const char* kAbout = R"(Whitebeam runs .beam files (OTP 25) on every core.

  whitebeam run hello.erl              compile (cached), call hello:main(Args)
  whitebeam run hello.beam main a b    the same with arguments, from a .beam file
  whitebeam run -pa ebin shop          a module of the code path
  whitebeam observe                    what a running machine does (--web: as a page)
  whitebeam disasm hello.beam          its instructions
  whitebeam doctor                     what this machine and this build have
)";

constexpr const char* kRunAbout =
    R"(PROGRAM is a .beam file, an .erl file (compiled with erlc, cached), or the name of a module. Calls
FUNCTION (default: main) with the list of ARGS as strings, or without arguments if the module only
has FUNCTION/0. OTP's modules are found by themselves, and those of the libraries in
ERL_LIBS; directories given with -pa come first.

Exit code: 0 when FUNCTION returned, N after halt(N), 1 after an uncaught error (reported on
standard error), 2 when the program could not be started, 71 when memory is out, 128 + N when
signal N ended it.)";

/// `-pa` becomes `--pa`, and so on, where it is an option of ours: before PROGRAM.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty() || args[0] != "run") return args;
  for (size_t i = 1; i < args.size() && args[i].starts_with("-") && args[i] != "--"; ++i) {
    std::string& arg = args[i];
    if (arg == "-pa" || arg == "-pz" || arg == "-nostick") arg.insert(0, "-");
    bool takes_value = arg == "--pa" || arg == "--pz" || arg == "--otp" || arg == "--schedulers" ||
                       arg == "--seed" || arg == "--jit" || arg == "--event-log" ||
                       (arg.starts_with("--max-") && arg.find('=') == arg.npos);
    if (takes_value) ++i;
  }
  return args;
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
  uint64_t seed = 0;
  bool observe_screen = false, observe_page = false;
  bool no_types = false;
  CLI::App *run_app, *disasm_app, *doctor_app, *observe_app;

  Parser() {
    app.set_version_flag("--version", "whitebeam " WB_VERSION);
    app.require_subcommand(1);
    add_run();
    add_disasm();
    add_doctor();
    add_observe();
  }

  void add_run() {
    run_app = app.add_subcommand("run", "Run a program.");
    run_app->footer(kRunAbout);
    run_app->formatter(std::make_shared<RunFormatter>());
    run_app->prefix_command();
    run_app
        ->add_option(
            "--pa", run.code_paths,
            "directory of .beam files, searched first (also -pa; of several the later one)")
        ->type_name("DIR")
        ->allow_extra_args(false);
    run_app
        ->add_option("--pz", run.last_paths, "directory of .beam files, searched last (also -pz)")
        ->type_name("DIR")
        ->allow_extra_args(false);
    run_app->add_flag("--nostick", run.nostick,
                      "modules of kernel, stdlib and compiler can be replaced (also -nostick)");
    run_app
        ->add_option("--otp", run.otp_root,
                     "OTP's root (default: /usr/lib/erlang, or erl's in PATH)")
        ->type_name("DIR");
    run_app
        ->add_option("--schedulers", run.schedulers,
                     "threads that run processes (default: one a core)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    run_app->add_flag("--gc-stress", run.gc_stress,
                      "collect and move at every safe point (slow; finds bugs)");
    run_app->add_option("--seed", seed, "one thread, virtual time, a schedule that repeats exactly")
        ->type_name("N");
    run_app
        ->add_option("--event-log", run.event_log,
                     "with --seed: a line for each event of the run (docs/event-log.md)")
        ->type_name("FILE")
        ->needs("--seed");
    run_app
        ->add_option("--max-memory", run.max_memory,
                     "end when more is in use, e.g. 512MB (default: what the machine or its "
                     "container has)")
        ->type_name("SIZE")
        ->transform(CLI::AsSizeValue(false));
    run_app->add_option("--max-processes", run.max_processes, "beyond it spawn is a system_limit")
        ->type_name("N")
        ->check(CLI::Range(1024u, 1u << 27));
    run_app->add_option("--max-atoms", run.max_atoms, "beyond it a new atom is a system_limit")
        ->type_name("N")
        ->check(CLI::Range(8192u, 1u << 26));
    run_app
        ->add_option("--jit", run.jit,
                     "native code: of functions called often, and by LLVM of hot ones\n"
                     "(full, the default); without LLVM (baseline); of all functions at load\n"
                     "(baseline-eager); by LLVM of all, at their first call, for tests (always);\n"
                     "none (off)")
        ->type_name("MODE")
        ->check(CLI::IsMember({"off", "baseline", "baseline-eager", "full", "always"}));
    run_app->add_flag("--jit-report", run.jit_report,
                      "print what LLVM compiles, on standard error");
    run_app
        ->add_option("--jit-ir", run.jit_ir,
                     "print the LLVM IR of this function when it is compiled")
        ->type_name("M:F/A");
    run_app->add_flag("--perf-map", run.perf_map,
                      "write /tmp/perf-PID.map: names of native code for `perf report`");
    run_app->add_flag("--gdb-symbols", run.gdb_symbols, "tell gdb the names of native code");
    run_app->add_flag("--observe", observe_screen,
                      "look at it from the start; its output comes when you quit the observer\n"
                      "(the page, if this is no terminal)");
    run_app->add_flag("--observe-web", observe_page,
                      "the same with a page for the browser; its address is on standard error");
    run_app->add_flag("--allow-actions", run_command.allow_actions,
                      "with these: collecting, suspending and killing processes works");
    run_app->add_flag("!--no-observe", run.observe,
                      "nobody can look at it with `whitebeam observe`");
    run_app->add_flag("!--observe-read-only", run.observe_actions,
                      "who looks at it can only look, not collect, suspend or kill");
    run_app->add_flag("--stats", run.stats,
                      "print what the machine did, at the end, on standard error");
  }

  void add_disasm() {
    disasm_app = app.add_subcommand("disasm", "Print the instructions of a .beam file.");
    disasm_app
        ->add_option("FILE", disasm.file,
                     "a .beam file, or MODULE:FUNCTION/ARITY of the working directory or OTP")
        ->required();
    disasm_app->add_option("FUNCTION", disasm.function, "only this one: name/arity");
    disasm_app->add_flag("--loaded", disasm.loaded,
                         "the instructions that run, after loading, instead of the file's");
    disasm_app->add_flag("--native", disasm.native,
                         "the same with the native code of each instruction (needs objdump)");
    disasm_app->add_flag("--hot", disasm.hot, "native code as LLVM makes it of hot functions");
    disasm_app->add_flag("--ir", disasm.ir, "the same, and before it LLVM's IR");
    disasm_app->add_flag("--no-types", no_types,
                         "without what the compiler says of registers' types");
  }

  void add_doctor() {
    doctor_app = app.add_subcommand(
        "doctor", "Show what was found on this machine and what is not there yet.");
    doctor_app->add_option("--otp", doctor.otp_root, "OTP's root")->type_name("DIR");
    doctor_app
        ->add_option("--load-all", doctor.load_all, "check every .beam file below DIR instead")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory);
    doctor_app->add_flag("--native", doctor.native,
                         "with --load-all: make native code of every function, too");
  }

  void add_observe() {
    observe_app = app.add_subcommand("observe", "Look into a running machine.");
    observe_app->add_option("MACHINE", observe.machine,
                            "its process id or socket (default: the only one that runs)");
    observe_app
        ->add_option("--filter", observe.filter,
                     "only these processes, e.g. 'msgq>100 & fn=gen_server:loop/7'")
        ->type_name("EXPRESSION");
    observe_app->add_flag("--allow-actions", observe.allow_actions,
                          "keys that collect, suspend and kill processes work");
    observe_app->add_option("--interval", observe.interval, "seconds between two looks")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 3600.0));
    observe_app->add_flag("--web", observe.web,
                          "serve a page for the browser, on this computer only");
    observe_app->add_option("--port", observe.port, "of that page (default: any that is free)")
        ->type_name("N")
        ->check(CLI::Range(0, 65535));
    observe_app
        ->add_option("--flame", observe.flame,
                     "write the stacks sampled in the next --interval, folded, for flamegraph.pl")
        ->type_name("FILE");
    observe_app->add_option("--speedscope", observe.speedscope, "the same for speedscope.app")
        ->type_name("FILE");
    observe_app->add_option("--pprof", observe.pprof, "the same for pprof: profile.proto, gzip")
        ->type_name("FILE");
    observe_app
        ->add_option("--perfetto", observe.perfetto,
                     "write what schedulers do in the next --interval, for ui.perfetto.dev")
        ->type_name("FILE");
    observe_app->add_flag("--once", observe.once, "print what there is now, as text, and end");
    observe_app->add_flag("--json", observe.json, "the same as JSON");
    observe_app->add_flag("--openmetrics", observe.open_metrics, "counters for Prometheus");
    observe_app
        ->add_option("--ask", observe.ask,
                     "print the answer to one request (docs/observer-protocol.md)")
        ->type_name("JSON");
  }

  CommandLine result() {
    if (observe_app->parsed()) return observe;
    if (disasm_app->parsed()) {
      disasm.types = !no_types;
      return disasm;
    }
    if (doctor_app->parsed()) return doctor;
    std::vector<std::string> rest = run_app->remaining();
    if (!rest.empty() && rest[0] == "--") rest.erase(rest.begin());
    if (rest.empty()) throw CLI::RequiredError("PROGRAM");
    if (rest[0].starts_with("-")) throw CLI::ExtrasError({rest[0]});
    if (run_app->count("--seed")) run.seed = seed;
    run.program = rest[0];
    run.function = rest.size() > 1 ? rest[1] : "main";
    if (rest.size() > 2) run.args.assign(rest.begin() + 2, rest.end());
    using Observe = RunCommand::Observe;
    run_command.observe = observe_page     ? Observe::page
                          : observe_screen ? Observe::screen
                                           : Observe::no;
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

}  // namespace wb
