#include "vm/machine/native_table.h"

#include "term/atom.h"

namespace wb {

#define BIF_ENTRY(module, name, arity, text) BIF(module, name, arity);
#include "vm/bif/bifs.def"
#include "vm/dist/bifs.def"
#include "vm/driver/bifs.def"
#include "vm/nif/bifs.def"
#include "vm/observe/bifs.def"
#include "vm/socket/bifs.def"
#include "vm/trace/bifs.def"
#ifdef WB_OTP_SUITES
#include "vm/otp_suites/bifs.def"
#endif
#undef BIF_ENTRY
#define NEWER_BIF(release, module, name, arity, text) BIF(module, name, arity);
#define STAND_IN(release, module, name, arity, text) BIF(module, name, arity);
#include "vm/bif/newer_bifs.def"
#include "vm/nif/newer_bifs.def"
#include "vm/socket/newer_bifs.def"
#include "vm/trace/newer_bifs.def"
#undef STAND_IN
#undef NEWER_BIF

namespace {
const BifInfo kTable[] = {
#define BIF_ENTRY(module, name, arity, text) {#module, text, arity, module##_##name##_##arity},
#include "vm/bif/bifs.def"
#include "vm/dist/bifs.def"
#include "vm/driver/bifs.def"
#include "vm/nif/bifs.def"
#include "vm/observe/bifs.def"
#include "vm/socket/bifs.def"
#include "vm/trace/bifs.def"
#ifdef WB_OTP_SUITES
#include "vm/otp_suites/bifs.def"
#endif
#undef BIF_ENTRY
#define NEWER_BIF(release, module, name, arity, text) \
  {#module, text, arity, module##_##name##_##arity, release},
#define STAND_IN(release, module, name, arity, text) \
  {#module, text, arity, module##_##name##_##arity, release, true},
#include "vm/bif/newer_bifs.def"
#include "vm/nif/newer_bifs.def"
#include "vm/socket/newer_bifs.def"
#include "vm/trace/newer_bifs.def"
#undef STAND_IN
#undef NEWER_BIF
};
const GuardInfo kGuards[] = {
#define GUARD_BIF(identifier, name, arity, ...) {name, arity, erlang_##identifier##_##arity},
#include "bytecode/guard_bifs.def"
#undef GUARD_BIF
};
}  // namespace

std::span<const BifInfo> native_table() { return kTable; }

std::span<const GuardInfo> guard_table() { return kGuards; }

const BifInfo* find_native(Term module, Term name, uint32_t arity) {
  for (const BifInfo& b : kTable) {
    if (b.arity == arity && atom_text(name) == b.name && atom_text(module) == b.module) return &b;
  }
  return nullptr;
}

}  // namespace wb
