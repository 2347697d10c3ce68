// `whitebeam doctor`: what this machine has and what this build knows; of directories:
// doctor_modules.h.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "loader/otp_release.h"
#include "tools/commands.h"
#include "tools/doctor_modules.h"
#include "tools/machine.h"
#include "vm/jit/stencils.h"
#include "vm/machine/native_table.h"

namespace fs = std::filesystem;

namespace wb {
namespace {

struct KnownBif {
  const char* module;
  const char* name;
  int arity, tier;
  int since = kOldestRelease;
};
constexpr KnownBif kKnownBifs[] = {
#define KNOWN_BIF(module, name, arity, tier) {module, name, arity, tier},
#include "vm/bif/known_bifs.def"
#undef KNOWN_BIF
#define KNOWN_SINCE(release, module, name, arity, tier) {module, name, arity, tier, release},
#include "vm/bif/known_newer_bifs.def"
};
struct GoneBif {
  std::string_view module, name;
  int arity, until;
};
constexpr GoneBif kGoneBifs[] = {
#define KNOWN_UNTIL(release, module, name, arity) {module, name, arity, release},
#include "vm/bif/known_newer_bifs.def"
};
/// Those of OTP's native functions that are native in this release.
std::vector<KnownBif> known_in(int release) {
  auto is_gone = [&](const KnownBif& bif) {
    return std::ranges::any_of(kGoneBifs, [&](const GoneBif& g) {
      return g.until < release && g.arity == bif.arity && g.name == bif.name &&
             g.module == bif.module;
    });
  };
  std::vector<KnownBif> known;
  for (const KnownBif& bif : kKnownBifs)
    if (bif.since <= release && !is_gone(bif)) known.push_back(bif);
  return known;
}
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

std::vector<std::string> native_functions() {
  std::vector<std::string> have = {mfa("erlang", "apply", 2), mfa("erlang", "apply", 3),
                                   mfa("erlang", "hibernate", 3)};  // instructions of the machine
  for (const BifInfo& bif : native_table()) have.push_back(mfa(bif.module, bif.name, bif.arity));
  std::sort(have.begin(), have.end());
  return have;
}
bool is_there(const std::vector<std::string>& have, const KnownBif& bif) {
  return std::binary_search(have.begin(), have.end(), mfa(bif.module, bif.name, bif.arity));
}

/// Those of this release of OTP that are not there.
std::vector<std::string> absent_functions(int release) {
  std::vector<std::string> have = native_functions(), absent;
  for (const KnownBif& bif : known_in(release)) {
    if (!is_there(have, bif)) absent.push_back(mfa(bif.module, bif.name, bif.arity));
  }
  std::sort(absent.begin(), absent.end());
  return absent;
}

void report_bifs(int release) {
  std::vector<std::string> have = native_functions();
  int total[kTiers] = {}, missing_count[kTiers] = {};
  std::map<std::pair<int, std::string>, std::vector<std::string>> missing;  // tier, module
  for (const KnownBif& bif : known_in(release)) {
    ++total[bif.tier];
    if (is_there(have, bif)) continue;
    ++missing_count[bif.tier];
    missing[{bif.tier, bif.module}].push_back(fmt::format("{}/{}", bif.name, bif.arity));
  }
  fmt::print("\nNative functions of OTP {}\n", release);
  for (int tier = 0; tier < kTiers; ++tier)
    row(fmt::format("tier {}", tier).c_str(),
        fmt::format("{:>3} of {:>3} there: {}", total[tier] - missing_count[tier], total[tier],
                    kTierPurpose[tier]));
  fmt::print("\nNot there yet\n");
  for (const auto& [where, names] : missing)
    fmt::print("  {} {}: {}\n", where.first, where.second, fmt::join(names, " "));
}

}  // namespace

int cmd_doctor(const DoctorCommand& command) {
  if (!command.load_all.empty()) return load_all_modules(command.load_all, command.native);
  const int release = read_otp_release(find_otp_root(command.otp_root)).number;
  if (!command.directory.empty())
    return examine_directory(command.directory, absent_functions(release));
  report_tools(command.otp_root);
  report_machine();
  report_bifs(release);
  return 0;
}

}  // namespace wb
