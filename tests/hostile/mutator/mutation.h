// The changes a mutant consists of.
//
// Mutant N of a module with seed S is always the same: one to three of these, drawn by a generator
// of its own. Most are small, for what is far from honest code is refused at its first instruction
// and says nothing of the rest:
//   - an operand becomes another: of the same kind, of another kind that its letter in opcodes.def
//     admits, now and then of one it does not; numbers are off by one, elements of lists come and
//     go
//   - an instruction is left out, doubled, moved, swapped with the next, or gets another opcode of
//     the same shape
//   - gadgets: one to three instructions of any opcode, with operands as its letters say
//   - lies: in the chunks Type, FunT, Line, LitT, Recs, ExpT
#pragma once

#include <random>

#include "tests/hostile/mutator/editable_module.h"

namespace wb::mutator {

struct Mutant {
  std::vector<uint8_t> file;
  std::string what;  ///< in words
  /// The functions that were changed: name and arity.
  std::vector<std::pair<Term, uint32_t>> changed;
};

Mutant make_mutant(const EditableModule& module, uint64_t seed, uint64_t number);

}  // namespace wb::mutator
