// A program on a machine that does not boot OTP: loaded, and its main process.
#pragma once

#include <string>
#include <vector>

#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/machine/embed.h"

namespace wb {

/// Is it recorded, or the replay of a recording?
inline bool keeps_or_replays(const RunOptions& o) { return !o.record.empty() || !o.replay.empty(); }
VmOptions machine_options(const RunOptions& o);
/// *module: the name of the module there should be.
CodeTable::Loaded load_program(Vm& vm, const std::string& program, Term* module);
bool is_elixir(Term module);
/// A program's arguments: a list of strings, or for Elixir of binaries.
Term argument_list(Heap& h, const std::vector<std::string>& args, bool binaries);
/// Spawns the main process: FUNCTION(Arguments), or FUNCTION(). False, and words on standard error:
/// there is neither.
bool spawn_main(Vm& vm, const RunOptions& o, Term module);

}  // namespace wb
