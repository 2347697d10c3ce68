// Who has made the newest atoms: atoms are never collected, so a program that makes them without
// end is to be found before the table is full.
//
// A ring beside the table: the maker of an atom stands where the atom's number says. Those who make
// atoms write it, anybody reads it; what is overwritten meanwhile is told by its number.
#pragma once

#include <cstdint>
#include <optional>

#include "term/fault.h"
#include "term/term.h"

namespace wb {

struct AtomMaker {
  const void* vm;  ///< the machine: atoms are the whole program's
  Term pid;
  const Word* at;  ///< in code, or null
  uint64_t ns;     ///< when, by that machine's clock
};

constexpr uint32_t kAtomMakers = 8192;

void note_atom_maker(uint32_t number, const AtomMaker& maker);
/// Nothing if it was not noted, or is too old.
std::optional<AtomMaker> atom_maker(uint32_t number);

}  // namespace wb
