// OTP on Whitebeam: `whitebeam erl`, `whitebeam install`, and this program under the name beam.smp,
// as OTP's own erlexec starts it.
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "loader/otp_release.h"
#include "tools/command_line.h"
#include "tools/machine.h"
#include "tools/otp_root.h"

namespace wb {
namespace {

constexpr const char* kUsage =
    "Usage: beam.smp [flags] [ -- [init_args] ]\r\n"
    "The flags are those of erl(1), with - for +.\r\n"
    "Note that if the emulator is started with erlexec (typically\r\n"
    "from the erl script), these flags should be specified with +.\r\n";

int fail(const std::string& message) {
  fmt::print(stderr, "whitebeam: {}\n", message);
  return kExitUsage;
}

/// WHITEBEAM_FLAGS. False: they are none, which has been said.
bool read_flags(RunOptions* options) {
  const char* given = getenv("WHITEBEAM_FLAGS");
  std::string error;
  if (!given || parse_run_options(given, options, &error)) return true;
  fail(fmt::format("WHITEBEAM_FLAGS: {}", error));
  return false;
}

}  // namespace

bool is_started_as_emulator() {
  // Not argv[0], which erlexec sets to the name of an escript.
  auto path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (!path) return false;
  const char* slash = strrchr(path, '/');
  return strcmp(slash ? slash + 1 : path, "beam.smp") == 0;
}

int emulator_main(int argc, char** argv) {
  EmulatorFlags flags;
  std::string complaint;
  if (!parse_emulator_flags({argv, argv + argc}, &flags, &complaint)) {
    if (!complaint.empty()) fmt::print(stderr, "{}\r\n", complaint);
    fmt::print(stderr, "{}", kUsage);
    return 1;
  }
  if (!flags.warning.empty()) fmt::print(stderr, "{}\r\n", flags.warning);
  if (flags.version) {
    fmt::print(stderr, "Erlang (SMP,ASYNC_THREADS) (BEAM) emulator version {}\r\n",
               read_otp_release(boot_flag(flags, "-root")).erts);
    return 0;
  }
  if (!getenv("BINDIR")) {
    fmt::print(stderr, "Environment variable BINDIR is not set\n");
    return 1;
  }
  RunOptions options;
  if (!read_flags(&options)) return kExitUsage;
  const std::string root = boot_flag(flags, "-root");
  if (!options.otp_root.empty() && !is_root_of(root, options.otp_root))
    return fail(fmt::format("WHITEBEAM_FLAGS: --otp {}: this emulator is that of {}",
                            options.otp_root, root));
  return run_otp(options, flags);
}

/// `--otp DIR` in front of erl's arguments, which then begin later; null: not there.
static const char* take_otp(char*** arguments) {
  char** next = *arguments + 1;
  if (!*next) return nullptr;
  if (strncmp(*next, "--otp=", 6) == 0) return *arguments = next, *next + 6;
  if (strcmp(*next, "--otp") != 0 || !next[1]) return nullptr;
  return *arguments = next + 1, next[1];
}

int cmd_erl(char** arguments) {
  RunOptions options;
  if (!read_flags(&options)) return kExitUsage;
  if (const char* otp = take_otp(&arguments)) options.otp_root = otp;
  std::string error;
  const std::string root = usable_otp_root(options.otp_root, &error);
  if (root.empty()) return fail(error);
  std::string bin = fmt::format("{}/{}/bin", root, erts_directory(root));
  setenv("ROOTDIR", root.c_str(), 1);
  setenv("BINDIR", bin.c_str(), 1);
  setenv("EMU", "beam", 1);
  setenv("PROGNAME", "erl", 1);
  std::string erlexec = bin + "/erlexec";
  char name[] = "erl";
  arguments[0] = name;
  execv(erlexec.c_str(), arguments);
  return fail(fmt::format("{}: {}", erlexec, strerror(errno)));
}

int cmd_install(const InstallCommand& command) {
  std::string otp = find_otp_root(command.otp_root);
  if (otp.empty()) return fail("no OTP found (Debian: apt-get install erlang-base)");
  std::string error;
  return make_otp_root(command.directory, otp, &error) ? 0 : fail(error);
}

int cmd_bindir(const BindirCommand& command) {
  std::string error;
  const std::string root = usable_otp_root(command.otp_root, &error);
  if (root.empty()) return fail(error);
  fmt::print("{}/bin\n", root);
  return 0;
}

}  // namespace wb
