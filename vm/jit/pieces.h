// A function as both native compilers see it: its instructions, in order, those of many operands
// already taken apart (parts.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "base/base.h"
#include "term/term.h"

namespace wb {

/// One instruction, or a part of one.
struct CodePiece {
  uint32_t at;       ///< word offset of its instruction from the function's entry
  uint32_t words;    ///< where in CodePieces::words its words are; the first says nothing
  uint16_t handler;  ///< whose it is (bytecode/instructions.h)
  uint16_t whole;    ///< of the instruction it is a part of, or its own
  bool first;        ///< of its instruction
  bool fast;         ///< its fast handler does for these operands; else the interpreter runs it
};

/// A copy: whoever has it needs neither the module nor a lock.
struct CodePieces {
  const Word* entry = nullptr;  ///< address of the function's first word
  uint32_t arity = 0;
  size_t size = 0;  ///< its words
  std::vector<CodePiece> list;
  std::vector<Word> words;  ///< the function's, then those of parts
  /// What is counted up when its code leaves an instruction to the interpreter; of who compiles.
  uint64_t* left = nullptr;
  /// The same, when that was because a float was expected and none came.
  uint64_t* no_float = nullptr;
  /// A word of the literals that its operands name, which never changes: of cells both, of floats
  /// both, of others the header.
  struct Literal {
    const Word* at;
    Word word;
  };
  std::vector<Literal> literals;
  /// What was found of the LLVM tier's own (vm/orc/orc.h): functions that are worth having in line,
  /// each once, without callees of theirs.
  std::vector<CodePieces> callees;
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
