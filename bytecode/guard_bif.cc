#include "bytecode/guard_bif.h"

#include "term/atom.h"

namespace wb {

const GuardBif* guard_bif(const BeamImport& import) {
  static constexpr GuardBif kTable[] = {
#define GUARD_BIF(identifier, name, arity, gc, fails, result, argument, learnt) \
  {name, arity, gc, BifFails::fails, kinds::result, argument, kinds::learnt},
#include "bytecode/guard_bifs.def"
#undef GUARD_BIF
  };
  if (import.module != am::erlang) return nullptr;
  std::string_view name = atom_text(import.function);
  for (const GuardBif& b : kTable)
    if (b.arity == import.arity && b.name == name) return &b;
  return nullptr;
}

}  // namespace wb
