// The first instruction of a function that a native one may replace (loader/code.h): while none
// has, nothing; else the call of its body, which ends the function as a BIF's stub does.
#include "loader/code_table.h"
#include "term/binary.h"
#include "vm/core/vm.h"
#include "vm/interp/bif_call.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/interp/interpreter.h"
#include "vm/process/exit.h"
#include "vm/process/native.h"

namespace wb {

static WB_INLINE const NativeFunction* native_in(const Word* slot) {
  return reinterpret_cast<const NativeFunction*>(__atomic_load_n(slot, __ATOMIC_ACQUIRE));
}

/// What is left to do when the body has not simply given a value, or left garbage behind.
WB_COLD static const Word* end_native(Exec& c, const Word* I, Term result) {
  if (result == kTrap) {
    const Word* entry = c.trap_target->entry.load(std::memory_order_acquire);
    if (--c.fc < 0) return leave_yielding(c, entry, entry_arity(entry));
    return entry;
  }
  if (c.p->exiting) return leave_dead(c);
  if (result == kYield) return leave_yielding(c, I, entry_arity(I));
  if (is_fault(result)) return raise_native(c, I, result);
  c.x[0] = result;
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  if ((c.p->heap.wants_collection() || c.gc_stress) && !collect_garbage(c, 0, 1)) {
    return leave_dying(c);
  }
  // Nobody may see a process at one of the machine's own return addresses.
  if ((c.after_bif & Exec::kEndSlice) &&
      !c.vm->code->is_machine_code(reinterpret_cast<Word>(back))) {
    return leave_yielding(c, back, 1);
  }
  return back;
}

/// A local call may hand over what is being matched. A native function knows terms only, so it gets
/// the rest as one.
WB_COLD static Term rest_of_match(Heap& h, Term t) {
  const MatchContext* m = match_context(t);
  const Word at = m->position;
  return sub_bitstring(h, m->base, at, m->end - at);
}

static const Word* op_call_native(Exec& c, const Word* I) {
  const NativeFunction* f = native_in(I + instr::place::nif_slot::function);
  for (Term *x = c.x, *end = x + entry_arity(I); x < end; ++x) {
    if (WB_UNLIKELY(is_kind(*x, Kind::match_ctx))) *x = rest_of_match(c.p->heap, *x);
  }
  Term result;
  {
    YieldingInstruction at(c, I);  // the function is the one that has the slot
    result = f->call(c, *f);
  }
  if (WB_UNLIKELY(is_fault(result) || c.p->heap.wants_collection() || c.after_bif)) {
    return end_native(c, I, result);
  }
  c.x[0] = result;
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  return back;
}

FAST_Z(nif_slot) {
  if (WB_LIKELY(!native_in(WB_LIST(function)))) WB_NEXT();
  WB_SLOW(op_call_native);
}

void install_nif_slot(Word* t, bool) { set_slow(t, Instr::nif_slot, &h_nif_slot::run); }

}  // namespace wb
