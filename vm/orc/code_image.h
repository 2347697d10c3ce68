// Machine code of one hot function, apart from any run: bytes, and which of them to write anew
// where it is placed. The compiler makes it beside the code that it links itself (compiler.h);
// hot_image.h keeps it in files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vm/orc/symbols.h"

namespace wb {

struct CodeImage {
  /// How a field is written: S what it refers to, A the addend, P where the field is.
  enum class Field : uint8_t {
    absolute64,  ///< S + A
    absolute32,  ///< S + A, which is below 2^31
    relative32,  ///< S + A - P
    count
  };
  enum class Refers : uint8_t {
    symbol,   ///< number `to` of `symbols`
    handler,  ///< to the interpreter's handler `to`
    itself,   ///< to the first of `bytes`
    count
  };
  struct Fixup {
    uint32_t at;  ///< byte
    Field field;
    Refers refers;
    uint16_t unused = 0;
    uint32_t to;
    int32_t addend;
  };
  struct Entry {
    uint32_t at;    ///< word offset of an instruction from the function's entry
    uint32_t code;  ///< byte where its machine code begins
  };
  /// From this byte on, machine code is about the instruction at this word, until the next line.
  struct Line {
    static constexpr uint32_t kNone = ~0u;  ///< no instruction, or several
    uint32_t code, at;
  };
  static constexpr size_t kAlignment = 64;

  std::vector<uint8_t> bytes;
  std::vector<Symbol> symbols;
  std::vector<Fixup> fixups;
  std::vector<Entry> entries;
  std::vector<Line> lines;
  std::vector<uint32_t> handlers;  ///< that it leaves to

  /// Writes it to `write`, where it is seen at `run`, with what the symbols stand for. False: it
  /// does not fit there.
  bool place(uint8_t* write, const uint8_t* run, std::span<const Word> symbol_values,
             const Word* handler_table) const;
  /// Do all numbers lie in what there is? Before it is placed, if it comes from outside.
  bool is_sound(size_t function_words) const;
};

}  // namespace wb
