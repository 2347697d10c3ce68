// What the validator believes, for who checks it while the code runs: the checking machine of the
// tests (tests/checking/).
//
// The table of code asks believe() for each module. The product's answer is that nobody wants to
// know (beliefs.cc). A program that is linked with tests/checking/ has another believe(), and the
// linker then never looks for that of the archive; so the product has neither code nor flag for it.
// What believe() returns is told the state before each instruction, and says where the emitter puts
// `check_state`. That is an instruction like others, so whoever walks the code knows it; its
// handler is the program's by the same trick (vm/interp/check_state.cc), and compiled code leaves
// for it.
//
// Rejected: a handler that is in no table (nobody could walk such code); another layer of
// code_words.h (an instruction that yields or collects and begins again would be checked again, in
// a state that its neighbours do not meet); a mode of the interpreter that looks up a table by
// address.
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
  /// The operand of a `check_state` before the instruction; 0: nothing is to be checked.
  virtual Word before(uint32_t instruction) = 0;
};

/// Null: nobody wants to know.
std::unique_ptr<Beliefs> believe(const CodeUnit& unit);

}  // namespace wb
