// What the LLVM plugin (vm/orc/plugin/) is to the VM: one object that makes machine code of a
// function. The plugin is a library of its own, opened when the first function gets hot, so that a
// program which never gets hot never pays for LLVM.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/code.h"
#include "vm/jit/lowered_function.h"
#include "vm/orc/code_image.h"
#include "vm/process/exec.h"
#include "vm/process/process.h"

namespace wb {

/// Who has placed a function's code, and frees it.
class CodeOwner {
 public:
  /// From any thread, when nobody runs the code any more.
  virtual void release(void* code) = 0;
  virtual ~CodeOwner() = default;
};

class OrcCompiler : public CodeOwner {
 public:
  struct Entry {
    uint32_t at;  ///< word offset of an instruction from the function's entry
    Word code;    ///< where its machine code begins
  };
  using Line = CodeImage::Line;  ///< bytes are the block's
  struct Result {
    std::vector<Entry> entries;      ///< whoever arrives at these goes on in the new code
    std::vector<Line> lines;         ///< by `code`
    std::vector<unsigned> handlers;  ///< of the interpreter, that it leaves to
    void* code = nullptr;            ///< for release()
    const uint8_t* block = nullptr;  ///< where it lies
    size_t bytes = 0;
    uint64_t building_ns = 0, optimising_ns = 0, linking_ns = 0;  ///< of processor time
    std::string error;                                            ///< why there is no code
    std::string ir;  ///< what LLVM was given and made of it, if asked for
    CodeImage image;  ///< the code for other runs; empty: it depends on this one
  };
  /// Called by one thread at a time. False: see `error`.
  virtual bool compile(const LoweredFunction& function, bool with_ir, Result* out) = 0;
};

/// What the program and its plugin must agree on: which instructions there are and where things
/// lie. The plugin of another build would leave to wrong handlers.
constexpr uint64_t plugin_layout() {
  constexpr std::string_view kInstructions =
#define O(kind, name) #kind
#define INSTR(name, shape, operands, attributes) #name #shape operands
#include "bytecode/instructions.def"
#undef O
      ;
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](uint64_t x) { hash = (hash ^ x) * 0x100000001b3; };
  for (char c : kInstructions) add(static_cast<unsigned char>(c));
  for (size_t size : {sizeof(Exec), sizeof(Process), sizeof(Export), sizeof(Module)}) add(size);
  return hash;
}

/// The plugin's only symbol. `handlers`: the VM's table; `for_perf`: its code is to be seen by perf
/// (vm/jit/code_memory.h); `layout`: plugin_layout(). nullptr: it has another one, or the system
/// gives no memory for code.
using OpenOrcCompiler = OrcCompiler* (*)(const Word* handlers, bool for_perf, uint64_t layout);
#define WB_OPEN_ORC_COMPILER "whitebeam_open_orc_compiler_8"

}  // namespace wb
