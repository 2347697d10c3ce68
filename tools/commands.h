// The subcommands of `whitebeam`, each in its cmd_*.cc. Each returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vm/machine/embed.h"

namespace wb {

constexpr int kExitUsage = 2;  // usage or load error

#define OPTION_FIELD(type, field, otherwise, flag, value, check, help) type field{otherwise};
struct RunCommand {
  RunOptions options;
#define RUN_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct ObserveCommand {
#define OBSERVE_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct ExploreCommand {
  RunOptions options;
  std::string asked;  ///< the program, as the user named it
#define EXPLORE_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct ReplayCommand {
#define REPLAY_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct ImageCommand {
#define IMAGE_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct BuildCommand {
#define BUILD_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct DisasmCommand {
#define DISASM_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct InstallCommand {
#define INSTALL_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct BindirCommand {
#define BINDIR_OPTION OPTION_FIELD
#include "tools/options.def"
};
struct DoctorCommand {
#define DOCTOR_OPTION OPTION_FIELD
#include "tools/options.def"
};
#undef OPTION_FIELD

/// `command.options.program` is what the user named: a .beam, an .erl, a path without either, or a
/// module.
int cmd_run(RunCommand command);
int cmd_disasm(const DisasmCommand& command);
int disasm_native(const DisasmCommand& command);
int cmd_observe(const ObserveCommand& command);
int cmd_doctor(const DoctorCommand& command);
int cmd_install(const InstallCommand& command);
int cmd_bindir(const BindirCommand& command);
int cmd_image(const ImageCommand& command);
int cmd_build(const BuildCommand& command);
int cmd_explore(ExploreCommand command);
int cmd_replay(const ReplayCommand& command);
/// `run --schedule`: `options.program` is a file.
int run_schedule(const std::string& path, RunOptions options);

/// `whitebeam erl [--otp DIR] ARGS`: `arguments` begins with what takes erl's place, and ends with
/// a null.
int cmd_erl(char** arguments);
/// Is this program called beam.smp, the emulator of an OTP root?
bool is_started_as_emulator();
int emulator_main(int argc, char** argv);

}  // namespace wb
