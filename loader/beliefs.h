// What the validator believes, for who checks it while the code runs: the checking machine of the
// tests (tests/checking/).
//
// The table of code asks believe() for each module. The product's answer is that nobody wants to
// know (beliefs.cc). A program that is linked with tests/checking/ has another believe(), and the
// linker then never looks for that of the archive; so the product has no code, no flag and no
// instruction for it. What believe() returns is told the state before each instruction, and says
// which word and operand the emitter puts there: the address of a handler, which goes on two words
// later. It is no instruction of the table, so no compiler takes a function that has one.
//
// Rejected: an instruction of instructions.def (the product would have its handler, stencils and
// bitcode for it); a mode of the interpreter that looks up a table by address.
#pragma once

#include <memory>

#include "bytecode/flow_state.h"

namespace wb {

/// Of one module, while it is loaded.
class Beliefs {
 public:
  virtual ~Beliefs() = default;
  /// As ValidateOptions::observe.
  virtual void observe(uint32_t instruction, const FlowState& state) = 0;
  struct Check {
    Word handler = 0;  ///< 0: nothing is to be checked
    Word operand = 0;
  };
  /// Before the instruction.
  virtual Check before(uint32_t instruction) = 0;
};

/// Null: nobody wants to know.
std::unique_ptr<Beliefs> believe(const CodeUnit& unit);

}  // namespace wb
