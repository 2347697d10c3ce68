// The table of native functions (bifs.def).
#include "term/atom.h"
#include "vm/bif/bif.h"

namespace wb {

namespace {
const BifInfo kTable[] = {
#define BIF_ENTRY(module, name, arity, text) {#module, text, arity, module##_##name##_##arity},
#include "vm/bif/bifs.def"
#undef BIF_ENTRY
};
}  // namespace

const BifInfo* bif_table(size_t* count) {
  *count = sizeof kTable / sizeof kTable[0];
  return kTable;
}

const BifInfo* find_bif(Term module, Term name, uint32_t arity) {
  for (const BifInfo& b : kTable) {
    if (b.arity == arity && atom_text(name) == b.name && atom_text(module) == b.module) return &b;
  }
  return nullptr;
}

}  // namespace wb
