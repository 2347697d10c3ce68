// How a receive looks at messages, one after the other (messages.cc says by what).
//
// A selective receive behind a long queue does little else, so both instructions are fast ones;
// what comes in meanwhile is taken from the inbox only at the end of the queue.
#include "vm/interp/handler.h"
#include "vm/process/handle_signals.h"
#include "vm/process/overtake.h"
#include "vm/process/signal.h"

namespace wb {

static const Word* op_loop_rec(Exec& c, const Word* I) {
  instr::loop_rec in{I};
  Process& p = *c.p;
  if (!*p.save) {
    p.resume = I;
    if (has_signals(p) && !handle_signals(c)) return leave_dead(c);
    if (WB_UNLIKELY(p.collect_requested || p.evict_requested) && !collect_requested(c, 0))
      return leave_dying(c);
  }
  if (WB_UNLIKELY(p.heap.would_like_collection()) && p.save == &p.messages) {
    c.pc = I;
    if (!collect_garbage(c, 0, 0)) return leave_dying(c);
  }
  if (!*p.save && !look_again(p)) return reinterpret_cast<const Word*>(in.fail());
  Signal* s = *p.save;
  p.peeked = true;
  c.x[0] = s->term;
  return in.after();
}
FAST_Z(loop_rec) {
  Process& p = *C->p;
  Signal* s = *p.save;
  if (WB_UNLIKELY(!s || p.save == &p.messages)) WB_SLOW(op_loop_rec);
  p.peeked = true;
  x0 = s->term;
  WB_NEXT();
}

static const Word* op_loop_rec_end(Exec& c, const Word* I) {
  instr::loop_rec_end in{I};
  Process& p = *c.p;
  p.save = &(*p.save)->next;
  p.peeked = false;
  const Word* loop = reinterpret_cast<const Word*>(in.next());
  if (--c.fc < 0) return leave_yielding(c, loop, 0);
  return loop;
}
FAST_Z(loop_rec_end) {
  if (WB_UNLIKELY(FC <= 0)) WB_SLOW(op_loop_rec_end);
  Process& p = *C->p;
  p.save = &(*p.save)->next;
  p.peeked = false;
  --FC;
  WB_BRANCH(next);
}

void install_looking(Word* t, bool stress) {
  (void)stress;
  fill::zero<Instr::loop_rec, h_loop_rec>(t);
  fill::zero<Instr::loop_rec_end, h_loop_rec_end>(t);
}

}  // namespace wb
