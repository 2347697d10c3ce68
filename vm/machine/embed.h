// Whitebeam as a library: run one program to its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wb {

/// Native code tells ThreadSanitizer nothing of what it reads.
#if __has_feature(thread_sanitizer)
constexpr const char* kDefaultJit = "off";
#else
constexpr const char* kDefaultJit = "full";
#endif

struct RunOptions {
  std::vector<std::string> code_paths;  ///< -pa, searched before everything else, in this order
  std::vector<std::string> last_paths;  ///< -pz, searched when nothing else has it
  std::string otp_root;                 ///< its lib/*/ebin are searched
  bool nostick = false;                 ///< -nostick: every module can be replaced
  int schedulers = 0;                   ///< 0: as many as the machine suits
  bool gc_stress = false;
  std::optional<uint64_t> seed;
  std::string event_log;          ///< with a seed: what happens is written there
  std::string jit = kDefaultJit;  ///< off, baseline, baseline-eager, full, always
  std::string jit_ir;             ///< of this function, M:F/A, the LLVM IR on standard error
  bool jit_report = false;        ///< what LLVM compiles, on standard error
  bool stats = false;
  bool observe = true;          ///< listens for `whitebeam observe` (vm/observe/)
  bool observe_actions = true;  ///< whoever looks may also act
  bool perf_map = false;        ///< /tmp/perf-PID.map, for perf
  bool gdb_symbols = false;     ///< names of native code for gdb
  uint64_t max_memory = 0;      ///< bytes; 0: what the machine or its container has
  uint32_t max_processes = 0;   ///< 0: the default
  uint32_t max_atoms = 0;       ///< 0: the default
  std::string program;          ///< path of a .beam file, or a module on the path
  std::string function = "main";
  std::vector<std::string> args;
};

/// Calls FUNCTION(list of argument strings), or FUNCTION() if only that exists. Returns the exit
/// code: 0, halt(N), 1 after an uncaught error (already reported), 2 if it could not be loaded.
/// When memory is out, the program ends with kExitOutOfMemory (base/out_of_memory.h) instead.
int run_program(const RunOptions& options);

/// The loaded form of a .beam file as text; false and a message in *out if it cannot be loaded.
bool disassemble_loaded_file(const std::string& path, const std::string& function,
                             std::string* out);

/// The same with the native code of every instruction.
struct NativeListing {
  struct Line {
    std::string text;  ///< as of disassemble_loaded_file
    uint64_t code;     ///< address of its native code; 0: it has none
  };
  struct Block {
    uint64_t address;
    std::string bytes;
  };
  std::vector<Line> lines;
  std::vector<Block> blocks;
  std::map<uint64_t, std::string> names;  ///< of what native code jumps to
  std::string ir;                         ///< if asked for
};
struct NativeQuestion {
  std::string path;      ///< of a .beam file
  std::string function;  ///< NAME/ARITY or NAME; empty: all
  bool hot = false;      ///< as LLVM compiles it, in the order of machine code
  bool ir = false;       ///< with what LLVM was given and made of it
};
bool list_native_code(const NativeQuestion& asked, NativeListing* out, std::string* error);

}  // namespace wb
