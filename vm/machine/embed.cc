#include "vm/machine/embed.h"

#include <bit>
#include <csignal>
#include <cstdio>

#include "base/out_of_memory.h"
#include "base/recording.h"
#include "base/sanitizers.h"
#include "loader/code_table.h"
#include "loader/disasm_loaded.h"
#include "scheduler/oracle.h"
#include "vm/boot/boot.h"
#include "vm/boot/break_menu.h"
#include "vm/core/settings.h"
#include "vm/io/file_names.h"
#include "vm/io/outside.h"
#include "vm/io/services.h"
#include "vm/io/signals.h"
#include "vm/machine/machine.h"
#include "vm/machine/program.h"
#include "vm/machine/recorded_command.h"
#include "vm/machine/run_stats.h"
#include "vm/observe/observer.h"
#include "vm/observe/stuck.h"
#include "vm/orc/orc.h"
#include "vm/process/literal_collector.h"
#include "vm/process/policies.h"
#include "vm/process/run.h"

namespace wb {

/// The exit code of the machine.
static int end_recording(Recording& recording, int exit_code) {
  const std::string wrong = recording.finish(exit_code);
  if (wrong.empty()) return exit_code;
  fprintf(stderr, "whitebeam: %s\n", wrong.c_str());
  return Recording::kExitDeparts;
}

/// Until the machine ends.
static int run_to_end(Machine& vm, const RunOptions& o, const std::string& program) {
  std::optional<Observer> observer;
  std::optional<Debugger> debugger;
  if (o.debug) debugger.emplace(vm, *vm.oracle->recording(), *o.debug);
  if (o.observe && !vm.oracle->simulates()) observer.emplace(vm, program, o.observe_actions);
  vm.start();
  int exit_code = vm.wait();
  observer.reset();
  if (Recording* recording = vm.oracle->recording())
    exit_code = end_recording(*recording, exit_code);
  if (debugger) debugger->at_end(("ended with exit code " + std::to_string(exit_code)).c_str());
  if (o.stats) print_run_stats(vm);
  if (o.jit_report && !o.stats) print_jit_stats(vm);
  if (!kSanitized) vm.leave(exit_code);  // sanitizers look for what is not freed
  return exit_code;
}

int run_program(const RunOptions& o) {
  install_new_handler();
  if (o.max_atoms) set_atom_limit(o.max_atoms);
  VmOptions options = machine_options(o);
  std::unique_ptr<Recording> recording;
  if (keeps_or_replays(o)) {
    Recording::Made made = o.replay.empty() ? Recording::create(o.record, recorded_command(o))
                                            : Recording::open(o.replay);
    if (!made) {
      fprintf(stderr, "whitebeam: %s\n", made.error().c_str());
      return 2;
    }
    recording = std::move(*made);
    options.recording = recording.get();
    recording->library = o.otp_root;
  }
  Machine vm(options);
  InstanceScope scope(vm.instance);
  vm.settings->file_names.latin1 = !locale_is_utf8();
  if (PolicyChoice policy; parse_policy(o.policy, &policy)) vm.host->use_policy(policy);
  Term module = kNone;
  CodeTable::Loaded loaded = load_program(vm, o.program, &module);
  if (!loaded && loaded.error().reason != am::on_load) {
    fprintf(stderr, "whitebeam: cannot load %s: %s\n", o.program.c_str(),
            loaded.error().message.c_str());
    return 2;
  }
  Services& services = vm.start_services(o.args, o.nostick);
  if (is_elixir(module)) services.set_elixir_io();
  if (!spawn_main(vm, o, module)) return 2;
  vm.literals->start();
  OsSignals signals(vm);
  StuckRun stuck(vm);
  std::optional<SeededOutside> outside;
  if (auto faults = parse_faults(o.faults); o.seed && faults)
    stuck.outside = &outside.emplace(vm, *o.seed, *faults);
  if (o.seed) vm.oracle->follow(&stuck);
  return run_to_end(vm, o, o.program);
}

int run_otp(const RunOptions& given, const EmulatorFlags& flags) {
  install_new_handler();
  if (keeps_or_replays(given)) {
    fprintf(stderr, "whitebeam: --record: only of `whitebeam run`\n");
    return 2;
  }
  if (const std::string obstacle = boot_obstacle(flags); !obstacle.empty()) {
    fprintf(stderr, "whitebeam: %s\n", obstacle.c_str());
    return 2;
  }
  const std::string preloaded = preloaded_directory(flags);
  RunOptions o = given;
  if (flags.max_atoms) o.max_atoms = flags.max_atoms;
  // BEAM's, which is larger since 26.
  const OtpRelease release = read_otp_release(boot_flag(flags, "-root"));
  const uint32_t usual_processes = release.number < 26 ? 1 << 18 : 1 << 20;
  if (flags.max_processes)
    o.max_processes = std::bit_ceil(flags.max_processes);
  else if (!o.max_processes)
    o.max_processes = usual_processes;
  if (flags.schedulers) o.schedulers = static_cast<int>(flags.schedulers);
  o.perf_map |= flags.perf_map;
  o.otp_root.clear();
  if (o.max_atoms) set_atom_limit(o.max_atoms);
  VmOptions options = machine_options(o);
  options.otp = release;
  options.dirty_schedulers = flags.dirty_schedulers;
  options.dirty_io_schedulers = flags.dirty_io_schedulers;
  Machine vm(options);
  InstanceScope scope(vm.instance);
  signal(SIGPIPE, SIG_IGN);
  apply_emulator_flags(vm, flags);
  std::string error;
  if (!boot_otp(vm, flags, preloaded, &error)) {
    fprintf(stderr, "whitebeam: OTP cannot be booted: %s\n", error.c_str());
    return 2;
  }
  if (flags.on_break == BreakMode::shell) leave_break_key(vm);
  using Action = OsSignals::Action;
  Action on_break = flags.on_break == BreakMode::ignored    ? Action::kIgnore
                    : flags.on_break == BreakMode::disabled ? Action::kDefault
                                                            : Action::kBreak;
  OsSignals signals(vm, OsSignals::Receiver::erl_signal_server, on_break,
                    {.break_menu = break_menu, .continued = continued});
  return run_to_end(vm, o, boot_flag(flags, "-progname"));
}

bool disassemble_loaded_file(const std::string& path, const std::string& function,
                             std::string* out) {
  auto bytes = read_file_bytes(path);
  if (!bytes) {
    *out = path + ": cannot be read";
    return false;
  }
  Machine vm({});
  InstanceScope scope(vm.instance);
  CodeTable::Loaded r = vm.code->load(std::move(*bytes), path);
  if (!r) {
    *out = r.error().message;
    return false;
  }
  *out = disassemble_loaded(**r, function.substr(0, function.find('/')));
  return true;
}

}  // namespace wb
