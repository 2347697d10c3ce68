// The first instruction of a function that is not compiled yet: count, and when it is enough have
// it compiled (vm/orc/tiers.h).
#include "loader/code_table.h"
#include "vm/core/vm.h"
#include "vm/interp/handler.h"

namespace wb {

/// Either way calls are not counted any more now, or the count begins again.
static const Word* op_compile(Exec& c, const Word* I) {
  c.vm->hooks->compile(c, I);
  return I;
}

FAST_Z(warm_up) {
  const uint32_t calls = entry_count(I) + 1;
  if (calls >= C->vm->warm_calls) WB_SLOW(op_compile);
  set_entry_count(I, calls);
  WB_TAIL reinterpret_cast<Handler>(C->vm->code->handlers()[entry_handler(I)])(WB_PASS);
}

void install_warm_up(Word* t, bool) {
  fill::zero<Instr::warm_up, h_warm_up>(t);
  set_slow(t, Instr::preempt, &slow_handler<op_preempt>);
}

}  // namespace wb
