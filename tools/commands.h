// The subcommands of `whitebeam`, each in its cmd_*.cc. Each returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "vm/machine/embed.h"

namespace wb {

constexpr int kExitUsage = 2;  // usage or load error

struct DisasmCommand {
  std::string file;
  std::string function;  ///< "name/arity"; empty = all
  bool types = true;
  bool loaded = false;  ///< what the interpreter runs instead of what the file says
  bool native = false;  ///< the same with its native code
  bool hot = false;     ///< as LLVM compiles it
  bool ir = false;      ///< with LLVM's IR
};
struct RunCommand {
  enum class Observe : uint8_t { no, screen, page };
  RunOptions options;
  Observe observe = Observe::no;
  bool allow_actions = false;
};
struct ObserveCommand {
  std::string machine;            ///< pid or socket; empty: the only one
  std::string filter;             ///< of processes
  std::string ask;                ///< one request of the protocol, answered as it is
  std::string perfetto;           ///< file to write a timeline to
  std::string flame;              ///< file to write sampled stacks to, folded
  std::string speedscope, pprof;  ///< the same for these
  bool once = false, json = false, open_metrics = false;
  bool allow_actions = false;
  bool web = false;     ///< the page instead of the terminal
  int port = 0;         ///< of the page; 0: any
  double interval = 1;  ///< seconds
};
struct DoctorCommand {
  std::string otp_root;
  std::vector<std::string> load_all;
  bool native = false;  ///< and make native code of every function
};

/// `command.options.program` is what the user named: a .beam, an .erl, a path without either, or a
/// module.
int cmd_run(RunCommand command);
int cmd_disasm(const DisasmCommand& command);
int disasm_native(const DisasmCommand& command);
int cmd_observe(const ObserveCommand& command);
int cmd_doctor(const DoctorCommand& command);

}  // namespace wb
