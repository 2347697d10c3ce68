// A function as both native compilers see it: its instructions, in order, those of many operands
// lowered to several operations (lower.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "base/base.h"
#include "term/term.h"

namespace wb {

/// One operation: an instruction, or one of those that an instruction was lowered to.
struct LoweredOp {
  uint32_t at;       ///< word offset of its instruction from the function's entry
  uint32_t words;    ///< where in LoweredFunction::words its words are; the first says nothing
  uint16_t handler;  ///< whose it is (bytecode/instructions.h)
  uint16_t whole;    ///< of the instruction it was lowered from, or its own
  bool first;        ///< of its instruction
  bool fast;         ///< its fast handler does for these operands; else the interpreter runs it
};

/// A copy: whoever has it needs neither the module nor a lock.
struct LoweredFunction {
  const Word* entry = nullptr;  ///< address of the function's first word
  uint32_t arity = 0;
  size_t size = 0;  ///< its words
  std::vector<LoweredOp> list;
  std::vector<Word> words;  ///< the function's, then those of lowered operations
  /// The counter of exits: how often its code leaves an instruction to the interpreter. Owned by
  /// who compiles.
  uint64_t* exit_count = nullptr;
  /// The same, when that was because a float was expected and none came.
  uint64_t* no_float = nullptr;
  /// A word of the literals that its operands name, which never changes: of cells both, of floats
  /// both, of others the header.
  struct Literal {
    const Word* at;
    Word word;
    bool is_number = false;  ///< of a float: no term
  };
  std::vector<Literal> literals;
  /// What was found of the LLVM tier's own (vm/orc/orc.h): functions that are worth having in line,
  /// each once, without callees of theirs.
  std::vector<LoweredFunction> callees;
  /// What funs among its arguments were: each is one of the callees.
  struct SeenFun {
    const Word* entry;
    uint32_t arity, free;  ///< as called; and what it has caught
    Word fun;              ///< the FunEntry
  };
  std::vector<SeenFun> funs;
  /// What exports that are called, by it or its callees, led to: each is one of the callees.
  struct SeenExport {
    Word target;  ///< the Export
    const Word* entry;
  };
  std::vector<SeenExport> exports;
};

}  // namespace wb
