// The first instruction of a function that is not compiled yet: count, and when it is enough have
// it compiled (vm/orc/tiers.h).
#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/interp/handler.h"

namespace wb {

/// Either way the entry's first word is another one now, or the count begins again.
static const Word* op_compile(Exec& c, const Word* I) {
  c.vm->hooks->compile(c, I);
  return I;
}

FAST_Z(warm_up) {
  EntryState s = entry_state(I);
  if (WB_UNLIKELY(!s.warms_up)) WB_JUMP(I);  // somebody compiled it just now
  if (s.calls + 1 >= C->vm->warm_calls) WB_SLOW(op_compile);
  set_entry_state(const_cast<Word*>(I), EntryState::warming(s.first_handler, s.calls + 1));
  WB_TAIL reinterpret_cast<Handler>(C->vm->code->handlers()[s.first_handler])(WB_PASS);
}

void install_warm_up(Word* t, bool) {
  set_slow(t, Instr::warm_up, &h_warm_up::run);
  set_slow(t, Instr::preempt, &slow_handler<op_preempt>);
}

}  // namespace wb
