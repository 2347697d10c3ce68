#include "vm/boot/boot.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "gc/fragment.h"
#include "gc/heap_sizes.h"
#include "loader/code_table.h"
#include "loader/otp_release.h"
#include "term/atom.h"
#include "term/binary.h"
#include "term/lists.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/io/file_names.h"
#include "vm/port/ports.h"
#include "vm/process/literal_collector.h"
#include "vm/process/run.h"
#include "vm/process/table.h"
#include "vm/process/time_watchers.h"

namespace wb {
namespace {

struct Preloaded {
  int since;
  const char* name;
};
constexpr Preloaded kPreloaded[] = {
#define PRELOADED(since, module) {since, #module},
#include "loader/preloaded.def"
};

bool has_preloaded(const std::string& directory) {
  return access((directory + "/erl_init.beam").c_str(), R_OK) == 0;
}

/// The application erts of an OTP: ROOT/lib/erts-13.1.5/ebin.
std::string erts_application(const std::string& root) {
  std::string library = root + "/lib", found;
  DIR* d = opendir(library.c_str());
  if (!d) return {};
  while (dirent* entry = readdir(d)) {
    std::string name = entry->d_name, ebin = library + "/" + name + "/ebin";
    if (name.starts_with("erts-") && has_preloaded(ebin) && ebin > found) found = ebin;
  }
  closedir(d);
  return found;
}

bool load_preloaded(Vm& vm, const std::string& directory, std::string* error) {
  for (const auto& [since, name] : kPreloaded) {
    if (since > vm.options.otp.number) continue;
    std::string path = directory + "/" + name + ".beam";
    auto bytes = read_file_bytes(path);
    if (!bytes) {
      *error = path + ": cannot be read";
      return false;
    }
    CodeTable::Loaded loaded = vm.code->load(std::move(*bytes), path);
    if (!loaded) {
      *error = loaded.error().message;
      return false;
    }
  }
  return true;
}

Term boot_arguments(Heap& h, const std::vector<std::string>& all) {
  Term list = kNil;
  for (size_t k = all.size(); k-- > 0;) {
    list = cons(h, make_binary(h, all[k].data(), all[k].size()), list);
  }
  return list;
}

Term spawn_system(Vm& vm, const char* module, Term function, Term args,
                  Priority priority = Priority::normal) {
  SpawnOptions options;
  options.system = true;
  options.priority = priority;
  return spawn_process(vm, nullptr, intern(module), function, args, options);
}

uint32_t tables_of_environment() {
  const char* tables = getenv("ERL_MAX_ETS_TABLES");
  return tables ? static_cast<uint32_t>(std::max(0, atoi(tables))) : 0;
}

}  // namespace

void apply_emulator_flags(Vm& vm, const EmulatorFlags& flags) {
  Settings& s = *vm.settings;
  HeapDefaults& d = s.heap;
  auto heap_size = [](uint32_t words) { return static_cast<uint32_t>(heap_size_at_least(words)); };
  if (flags.min_heap) d.min_heap_size = heap_size(*flags.min_heap);
  if (flags.min_bin_vheap) d.min_bin_vheap_size = *flags.min_bin_vheap;
  if (flags.max_heap) d.max_heap_size = *flags.max_heap;
  d.max_heap_kill = flags.max_heap_kill, d.max_heap_log = flags.max_heap_log;
  d.max_heap_shared = flags.max_heap_shared;
  d.off_heap_messages = flags.off_heap_messages;
  bool usual = !flags.min_heap && !flags.min_bin_vheap && !flags.max_heap && d.max_heap_kill &&
               d.max_heap_log && !d.max_heap_shared && !d.off_heap_messages;
  if (!usual) d.changed = true;
  s.printable_range = flags.unicode_is_printable ? am::unicode : am::latin1;
  const bool by_locale = flags.file_names == 'a';
  s.file_names.latin1 = by_locale ? !locale_is_utf8() : flags.file_names == 'l';
  s.file_names.untranslated = flags.untranslated == 'i'   ? am::ignore
                              : flags.untranslated == 'e' ? am::error
                                                          : am::warning;
  s.warning_map = flags.warnings == 'w'   ? am::warning
                  : flags.warnings == 'i' ? am::info
                                          : am::error;
  s.async_threads = flags.async_threads;
  if (!flags.detects_topology) s.cpus.set_detected_unknown();
  if (!flags.topology.empty()) s.cpus.define(flags.topology);
  s.cpus.bind(flags.bind_type);
  s.break_ignored = flags.on_break == BreakMode::ignored;
  if (flags.max_ports) vm.ports->set_limit(std::bit_ceil(flags.max_ports));
  if (flags.schedulers_online)
    s.multi_scheduling.set_online(*vm.scheduler, flags.schedulers_online);
  if (flags.time_warp) vm.clock->set_warp(*flags.time_warp);
  s.time_correction = flags.time_correction;
  vm.time_watchers->begin(vm);
  if (flags.dirty_schedulers_online)
    vm.scheduler->dirty(DirtyKind::cpu).set_online(flags.dirty_schedulers_online);
  if (const uint32_t tables = flags.max_tables ? flags.max_tables : tables_of_environment())
    s.ets_limit = std::max(s.ets_limit.load(), tables);
  if (flags.outstanding_requests) s.outstanding_requests = *flags.outstanding_requests;
  if (flags.dist_busy_kilobytes) {
    vm.ports->distribution->busy_limit = size_t{flags.dist_busy_kilobytes} * 1024;
  }
  if (flags.node_delay) {
    const bool ever = *flags.node_delay == EmulatorFlags::kForEver;
    vm.instance.nodes.set_delay(ever ? NodeTable::kForEver : *flags.node_delay * 1'000'000'000);
  }
}

std::string preloaded_directory(const EmulatorFlags& flags) {
  std::string beside = boot_flag(flags, "-bindir") + "/preloaded";
  return has_preloaded(beside) ? beside : erts_application(boot_flag(flags, "-root"));
}

std::string boot_obstacle(const EmulatorFlags& flags) {
  const std::string root = boot_flag(flags, "-root"), bindir = boot_flag(flags, "-bindir");
  if (preloaded_directory(flags).empty()) return "no OTP below " + root + " (the modules of erts)";
  const OtpRelease found = read_otp_release(root);
  if (found.name != std::to_string(found.number)) {
    return "OTP " + found.name + " with erts-" + found.erts + " below " + root +
           " cannot be booted; OTP " + std::to_string(kOldestRelease) + " to " +
           std::to_string(kNewestRelease) + " can";
  }
  // OTP's libraries may have been replaced since the directory was made.
  const std::string major = found.erts.substr(0, found.erts.find('.')), erts = "/erts-";
  const bool known = access((root + "/releases/start_erl.data").c_str(), R_OK) == 0;
  if (auto at = bindir.rfind(erts); known && at != bindir.npos) {
    const std::string ours =
        bindir.substr(at + erts.size(), bindir.find('/', at + 1) - at - erts.size());
    if (ours.substr(0, ours.find('.')) != major) {
      return "OTP " + found.name + " with erts-" + found.erts + " below " + root +
             " is not that of erts-" + ours + "; `whitebeam install` makes the directory anew";
    }
  }
  // With a script of its own a system may have its libraries anywhere.
  if (boot_flag(flags, "-boot").empty() && access((root + "/lib").c_str(), R_OK | X_OK) != 0)
    return "no OTP below " + root + " (its lib/)";
  return {};
}

bool boot_otp(Vm& vm, const EmulatorFlags& flags, const std::string& preloaded,
              std::string* error) {
  vm.code->lazy_loading = false;
  if (!load_preloaded(vm, preloaded, error)) return false;
  vm.processes->rotate();
  vm.ports->set_next_number(1);  // 0 is the machine's own
  FragmentHeap h(1024);
  Term arguments = boot_arguments(h, flags.boot_arguments);
  Term init_args = cons(h, intern(flags.boot_module), cons(h, arguments, kNil));
  vm.main_pid = spawn_system(vm, "erl_init", am::start, init_args);
  spawn_system(vm, "erts_code_purger", am::start, kNil, Priority::high);
  vm.literals->start();
  for (Priority priority : {Priority::normal, Priority::high, Priority::max}) {
    spawn_system(vm, "erts_dirty_process_signal_handler", am::start, kNil, priority);
  }
  if (vm.options.otp.number >= 27) spawn_system(vm, "erts_trace_cleaner", am::start, kNil);
  return true;
}

}  // namespace wb
