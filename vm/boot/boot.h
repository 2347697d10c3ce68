// Booting OTP: what happens in the machine before any Erlang code runs, as BEAM does it.
//
// Some modules (kPreloaded) are part of BEAM; here they are read from the .beam files that OTP
// ships of them. Then the machine's own processes are spawned, in BEAM's order, so that they have
// its pids, and the first of them, `init`, does all the rest: it is OTP's own, as are all that
// follow. A booted machine has no Services (vm/io/services.h) and never loads a module by itself: a
// function that is not there goes to error_handler, and from there to OTP's code server.
//
// Rejected: the modules in our binary (they would be those of the OTP on the machine that built
// it); booting by processes of ours that stand in for OTP's (vm/io does that for `whitebeam run`,
// which must start in a few milliseconds and may take the difference).
#pragma once

#include <string>

#include "base/result.h"
#include "vm/boot/emulator_flags.h"

namespace wb {

class Vm;

/// What flags say of the heaps of processes to come, of texts and so on. Before boot_otp().
void apply_emulator_flags(Vm& vm, const EmulatorFlags& flags);

/// Where the preloaded modules are: below the emulator's directory (`-bindir`), as `whitebeam
/// install` and releases have them, or in OTP's own application erts below `-root`. Empty: nowhere.
std::string preloaded_directory(const EmulatorFlags& flags);

/// Why what `-root` names cannot be booted, in a sentence; empty: nothing is known to be in the
/// way.
std::string boot_obstacle(const EmulatorFlags& flags);

/// Loads them and spawns the first processes, before Vm::start(). False: `*error` says why not.
bool boot_otp(Vm& vm, const EmulatorFlags& flags, const std::string& preloaded, std::string* error);

}  // namespace wb
