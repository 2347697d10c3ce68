#include "vm/machine/embed.h"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/out_of_memory.h"
#include "gc/fragment.h"
#include "loader/code_table.h"
#include "loader/disasm_loaded.h"
#include "loader/module_images.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/utf8.h"
#include "vm/boot/boot.h"
#include "vm/boot/break_menu.h"
#include "vm/core/settings.h"
#include "vm/io/file_names.h"
#include "vm/io/services.h"
#include "vm/io/signals.h"
#include "vm/machine/machine.h"
#include "vm/machine/run_stats.h"
#include "vm/observe/observer.h"
#include "vm/orc/orc.h"
#include "vm/process/literal_collector.h"
#include "vm/process/run.h"
#include "vm/process/spawn.h"

namespace wb {

/// A command line argument as a list of characters; bytes that are no UTF-8 stand for themselves.
static Term text_list(Heap& h, std::string_view text) {
  std::vector<uint32_t> characters;
  while (!text.empty()) {
    int32_t c = take_utf8(text);
    if (c < 0) {
      c = static_cast<uint8_t>(text[0]);
      text.remove_prefix(1);
    }
    characters.push_back(static_cast<uint32_t>(c));
  }
  Term list = kNil;
  for (size_t k = characters.size(); k-- > 0;) list = cons(h, make_small(characters[k]), list);
  return list;
}

/// *module: the name of the module there should be.
static CodeTable::Loaded load_program(Vm& vm, const std::string& program, Term* module) {
  std::string name = program.substr(program.rfind('/') + 1);
  if (name.ends_with(".beam")) name.resize(name.size() - 5);
  *module = intern(name);
  if (!program.ends_with(".beam")) return vm.code->load_from_path(*module);
  auto bytes = read_file_bytes(program);
  if (!bytes) return CodeTable::LoadFailure{am::badfile, strerror(errno)};
  CodeTable::Loaded loaded = vm.code->load(std::move(*bytes), program);
  if (loaded) *module = (*loaded)->name;
  return loaded;
}

static bool is_elixir(Term module) { return atom_text(module).starts_with("Elixir."); }

/// The program's arguments: a list of strings, for Elixir of binaries.
static Term argument_list(Heap& h, const std::vector<std::string>& args, bool binaries) {
  Term list = kNil;
  for (size_t k = args.size(); k-- > 0;) {
    Term text = binaries ? make_binary(h, args[k].data(), args[k].size()) : text_list(h, args[k]);
    list = cons(h, text, list);
  }
  return list;
}

/// Spawns the main process: FUNCTION(Arguments), or FUNCTION(). False: there is neither.
static bool spawn_main(Vm& vm, const RunOptions& o, Term module) {
  Term function = intern(o.function);
  auto exported = [&](uint32_t arity) {
    Export* e = vm.code->find_export(module, function, arity);
    return e && e->loaded;
  };
  FragmentHeap h(64);
  Term args = cons(h, argument_list(h, o.args, is_elixir(module)), kNil);
  if (vm.code->waits_for_on_load(module)) {
    args = cons(h, module, cons(h, function, cons(h, args, kNil)));
    vm.main_pid = spawn_process(vm, nullptr, am::whitebeam_code, am::call, args);
  } else if (exported(1) || exported(0)) {
    vm.main_pid = spawn_process(vm, nullptr, module, function, exported(1) ? args : kNil);
  } else {
    std::string name(atom_text(module));
    fprintf(stderr, "whitebeam: %s has no function %s/1 or %s/0\n", name.c_str(),
            o.function.c_str(), o.function.c_str());
    return false;
  }
  return true;
}

static VmOptions machine_options(const RunOptions& o) {
  VmOptions options;
  if (o.max_processes) options.max_processes = o.max_processes;
  options.schedulers = o.schedulers > 0 ? static_cast<uint32_t>(o.schedulers) : 0;
  options.gc_stress = o.gc_stress;
  options.seed = o.seed;
  options.event_log = o.event_log;
  options.jit = o.jit == "off"              ? JitMode::off
                : o.jit == "baseline"       ? JitMode::baseline
                : o.jit == "baseline-eager" ? JitMode::baseline_eager
                : o.jit == "always"         ? JitMode::always
                                            : JitMode::full;
  options.jit_report = o.jit_report;
  options.jit_ir = o.jit_ir;
  options.perf_map = o.perf_map;
  options.gdb_symbols = o.gdb_symbols;
  options.code_paths = o.code_paths;
  options.last_paths = o.last_paths;
  options.otp_root = o.otp_root;
  if (!o.otp_root.empty()) options.otp = read_otp_release(o.otp_root);
  options.max_memory = o.max_memory;
  if (o.image) options.images = ModuleImages::usual_directory();
  return options;
}

/// Until the machine ends.
static int run_to_end(Machine& vm, const RunOptions& o, const std::string& program) {
  std::optional<Observer> observer;
  if (o.observe && !o.seed) observer.emplace(vm, program, o.observe_actions);
  vm.start();
  int exit_code = vm.wait();
  observer.reset();
  if (o.stats) print_run_stats(vm);
  if (o.jit_report && !o.stats) print_jit_stats(vm);
  if (vm.orc && vm.orc->busy()) {  // nobody waits for a compiler at the end
    fflush(nullptr);
    _exit(exit_code);
  }
  return exit_code;
}

int run_program(const RunOptions& o) {
  install_new_handler();
  if (o.max_atoms) set_atom_limit(o.max_atoms);
  Machine vm(machine_options(o));
  InstanceScope scope(vm.instance);
  vm.settings->file_names.latin1 = !locale_is_utf8();
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
  return run_to_end(vm, o, o.program);
}

int run_otp(const RunOptions& given, const EmulatorFlags& flags) {
  install_new_handler();
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
