// `whitebeam doctor`: what this machine has, what this build knows, and whether modules load.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "loader/code_table.h"
#include "loader/otp_release.h"
#include "tools/commands.h"
#include "tools/machine.h"
#include "vm/jit/baseline.h"
#include "vm/jit/stencils.h"
#include "vm/machine/machine.h"
#include "vm/machine/native_table.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

struct KnownBif {
  const char* module;
  const char* name;
  int arity, tier;
};
constexpr KnownBif kKnownBifs[] = {
#define KNOWN_BIF(module, name, arity, tier) {module, name, arity, tier},
#include "vm/bif/known_bifs.def"
#undef KNOWN_BIF
};
constexpr int kTiers = 6;
constexpr const char* kTierPurpose[kTiers] = {"running programs",           "booting OTP",
                                              "running OTP's applications", "NIFs, files, sockets",
                                              "distribution, tracing",      "rare"};

void row(const char* what, const std::string& value) { fmt::print("  {:<12} {}\n", what, value); }

std::string or_missing(const std::string& path, const char* package) {
  return path.empty() ? fmt::format("not found (Debian: apt-get install {})", package) : path;
}

void report_tools(const std::string& otp_root) {
  fmt::print("Programs and libraries\n");
  std::string otp = find_otp_root(otp_root);
  row("OTP", otp.empty() ? or_missing("", "erlang-base")
                         : fmt::format("{} (release {})", otp, read_otp_release(otp).name));
  for (const char* app : {"erts", "kernel", "stdlib", "compiler"}) {
    std::string dir = otp.empty() ? "" : otp_application(otp, app);
    if (!dir.empty()) row("", fs::path(dir).filename());
  }
  row("erlc", or_missing(find_in_path("erlc"), "erlang-base"));
  row("elixirc", or_missing(find_in_path("elixirc"), "elixir"));
  row("Elixir", or_missing(find_elixir_ebin(), "elixir"));
}

/// "2.0 cores" from the control group's quota; empty if there is none.
std::string cgroup_limit() {
  double quota, period;
  std::string v2 = first_line("/sys/fs/cgroup/cpu.max");  // "200000 100000" or "max 100000"
  if (sscanf(v2.c_str(), "%lf %lf", &quota, &period) == 2 && period > 0)
    return fmt::format("{:.1f} cores", quota / period);
  std::string v1 = first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::string v1_period = first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (sscanf(v1.c_str(), "%lf", &quota) == 1 && quota > 0 &&
      sscanf(v1_period.c_str(), "%lf", &period) == 1 && period > 0)
    return fmt::format("{:.1f} cores", quota / period);
  return {};
}

void report_machine() {
  fmt::print("\nThis machine\n");
  row("cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN)));
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    row("affinity", fmt::format("{} cores", CPU_COUNT(&set)));
  std::string limit = cgroup_limit();
  row("cgroup", limit.empty() ? "no limit" : limit);
  double gib = double(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / (1 << 30);
  row("memory", fmt::format("{:.1f} GiB", gib));
  row("compiler", stencil_of(handler_index(Instr::return_, nullptr), true)
                      ? "baseline: copies the interpreter's handlers (--jit)"
                      : "none: this build interprets");
}

std::string mfa(const char* module, const char* name, int arity) {
  return fmt::format("{}:{}/{}", module, name, arity);
}

void report_bifs() {
  std::vector<std::string> have = {mfa("erlang", "apply", 2), mfa("erlang", "apply", 3),
                                   mfa("erlang", "hibernate", 3)};  // instructions of the machine
  for (const BifInfo& bif : native_table()) have.push_back(mfa(bif.module, bif.name, bif.arity));
  std::sort(have.begin(), have.end());
  int total[kTiers] = {}, missing_count[kTiers] = {};
  std::map<std::pair<int, std::string>, std::vector<std::string>> missing;  // tier, module
  for (const KnownBif& bif : kKnownBifs) {
    ++total[bif.tier];
    if (std::binary_search(have.begin(), have.end(), mfa(bif.module, bif.name, bif.arity)))
      continue;
    ++missing_count[bif.tier];
    missing[{bif.tier, bif.module}].push_back(fmt::format("{}/{}", bif.name, bif.arity));
  }
  fmt::print("\nNative functions of OTP 25\n");
  for (int tier = 0; tier < kTiers; ++tier)
    row(fmt::format("tier {}", tier).c_str(),
        fmt::format("{:>3} of {:>3} there: {}", total[tier] - missing_count[tier], total[tier],
                    kTierPurpose[tier]));
  fmt::print("\nNot there yet\n");
  for (const auto& [where, names] : missing)
    fmt::print("  {} {}: {}\n", where.first, where.second, fmt::join(names, " "));
}

std::vector<std::string> beams_below(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code ec;
  auto all = fs::recursive_directory_iterator(directory,
                                              fs::directory_options::skip_permission_denied, ec);
  for (auto it = all; !ec && it != fs::recursive_directory_iterator(); it.increment(ec))
    if (it->path().extension() == ".beam" && it->is_regular_file(ec)) files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Loads it as a program would, then drops it: a module may be there under several paths. Empty, or
/// why it is refused.
std::string try_module(Vm& vm, const std::string& path, bool native) {
  CodeTable::Prepared prepared =
      vm.code->prepare(read_file_bytes(path).value_or(std::vector<uint8_t>{}), path);
  if (!prepared) return prepared.error().message;
  const bool on_load = (*prepared)->on_load_entry != 0;
  CodeTable::Loaded loaded = vm.code->commit(*prepared);
  if (!loaded) return loaded.error().message;
  if (on_load) vm.code->end_on_load((*loaded)->name, true);  // nothing runs: taken for content
  if (native) vm.baseline->compile_all(**loaded);
  Term name = (*loaded)->name;
  vm.code->delete_module(name);
  vm.code->purge_module(name);
  return {};
}

void report_native_code(const BaselineCounters& made) {
  double ns = double(made.ns), instructions = double(made.instructions);
  fmt::print(
      "{} functions of {} instructions compiled in {:.1f} ms ({:.0f} ns each) to {:.1f} MB ({:.1f} "
      "bytes each), "
      "{} refused\n",
      made.functions.load(), made.instructions.load(), ns / 1e6, ns / instructions,
      double(made.bytes) / 1e6, double(made.bytes) / instructions, made.refused.load());
}

int load_all(const std::vector<std::string>& directories, bool native) {
  VmOptions options;
  options.jit = native ? JitMode::baseline : JitMode::off;
  Machine vm(options);  // not started: nothing runs,
  InstanceScope scope(vm.instance);
  vm.code->use(nullptr);  // so nobody has to let go of code before it is freed
  native = native && vm.baseline;
  size_t loaded = 0, refused = 0;
  for (const std::string& directory : directories) {
    for (const std::string& path : beams_below(directory)) {
      std::string why = try_module(vm, path, native);
      ++(why.empty() ? loaded : refused);
      if (!why.empty()) fmt::print("{}: {}\n", path, why);
    }
  }
  fmt::print("{} modules load, {} are refused\n", loaded, refused);
  if (native && loaded) report_native_code(vm.baseline->counters);
  if (loaded + refused == 0) fmt::print(stderr, "whitebeam: no .beam files there\n");
  return refused || !loaded ? 1 : 0;
}

}  // namespace

int cmd_doctor(const DoctorCommand& command) {
  if (!command.load_all.empty()) return load_all(command.load_all, command.native);
  report_tools(command.otp_root);
  report_machine();
  report_bifs();
  return 0;
}

}  // namespace wb
