// Generic instructions as text: what `whitebeam disasm FILE.beam` prints.
//
//   function nth/2
//     %% lists.erl:198
//     L24:  func_info         lists, nth, 2
//     L25:  is_eq_exact       L26, x0, 1
//           is_nonempty_list  L24, x1
//           get_hd            x1, x0
//           return
//
// A label stands at the instruction it names; a source line appears when it changes.
#pragma once

#include <string>

#include "bytecode/decode.h"

namespace wb {

struct DisasmOptions {
  bool types = true;           ///< show what the compiler claims of registers: x0{integer 0..9}
  size_t literal_chars = 120;  ///< a literal's text is cut here
  std::string function;        ///< only this one: "name/arity"; empty = all
};

std::string disassemble(const CodeUnit& unit, const DisasmOptions& options = {});

/// One instruction without its label: "move x0, y1". For messages and tests.
std::string instruction_text(const CodeUnit& unit, const Instruction& in,
                             const DisasmOptions& options = {});

}  // namespace wb
