// Whitebeam as a library: run one program to its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vm/boot/emulator_flags.h"
#include "vm/machine/debugger.h"

namespace wb {

/// Native code tells ThreadSanitizer nothing of what it reads.
#if __has_feature(thread_sanitizer)
constexpr const char* kDefaultJit = "off";
#else
constexpr const char* kDefaultJit = "full";
#endif

struct RunOptions {
#define OPTION(type, field, otherwise, flag, value, check, help) type field{otherwise};
#include "vm/machine/run_options.def"
  std::string program;  ///< path of a .beam file, or a module on the path
  std::string function = "main";
  std::vector<std::string> args;
  std::string replay;  ///< a recording: what it says is the answer to all that is asked outside
  std::optional<DebuggerStart> debug;  ///< the replay stops for a prompt
};

/// Calls FUNCTION(list of argument strings), or FUNCTION() if only that exists. Returns the exit
/// code: 0, halt(N), 1 after an uncaught error (already reported), 2 if it could not be loaded.
/// When memory is out, the program ends with kExitOutOfMemory (base/out_of_memory.h) instead.
int run_program(const RunOptions& options);

/// Boots OTP, as `beam.smp` does: `flags` are those of its command line. Returns the exit code; 2
/// and words on standard error: it cannot be booted.
int run_otp(const RunOptions& options, const EmulatorFlags& flags);

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
struct NativeListingQuery {
  std::string path;      ///< of a .beam file
  std::string function;  ///< NAME/ARITY or NAME; empty: all
  bool hot = false;      ///< as LLVM compiles it, in the order of machine code
  bool ir = false;       ///< with what LLVM was given and made of it
};
bool list_native_code(const NativeListingQuery& asked, NativeListing* out, std::string* error);

}  // namespace wb
