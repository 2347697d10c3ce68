// Which machine code came of which instruction: the table of lines that LLVM writes into an object.
#pragma once

#include <llvm/Support/MemoryBufferRef.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wb {

struct ObjectLines {
  struct Row {
    uint64_t address;
    uint32_t line;  ///< 0: none
  };
  std::vector<Row> rows;                    ///< by address; addresses are the object's own
  std::map<std::string, uint64_t> symbols;  ///< its functions
};
/// Nothing, if it has no such table.
ObjectLines read_lines(llvm::MemoryBufferRef object);

}  // namespace wb
