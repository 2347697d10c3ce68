// call_time: how long each process was in a function, without the traced functions it called.
//
// A process has one clock (ProcessExtra): the function it is in and since when. A call charges the
// function before, then the clock is the called one's; a frame on the stack remembers whose it was.
// Where several sessions time calls, it is one clock for all of them: what a session times is
// without what others time below it. Tail calls find such a frame there already: the clock goes to
// whoever was called last, and back to the first caller when all return.
#include <utility>
#include <vector>

#include "vm/core/clock.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/table.h"
#include "vm/process/trace_frames.h"
#include "vm/trace/calls.h"
#include "vm/trace/tracing.h"

namespace wb {

static bool is_timed(const Breakpoint& b) {
  const CallPatterns* patterns = b.patterns.load(std::memory_order_acquire);
  return patterns && patterns->time && !patterns->time_paused;
}

/// Adds the time since the clock was looked at last to the function it runs for. What all this
/// costs is part of whoever runs next: no time is lost.
static void charge(Process& p) {
  int64_t now = p.vm().clock->monotonic_ns();
  ProcessExtra& x = *p.extra;
  int64_t spent = now - std::exchange(x.timed_since, now);
  if (x.timed_function == ProcessExtra::kNoBreakpoint) return;
  Breakpoint* b = p.vm().tracing->breakpoints.at(x.timed_function);
  for (; b; b = b->next.load(std::memory_order_acquire)) {
    if (!is_timed(*b)) continue;
    std::lock_guard lock(b->times_lock);
    auto it = b->times.find(p.id);
    if (it != b->times.end()) it->second.ns += spent;
  }
}

void enter_timed(Exec& c, Breakpoint& b) {
  Process& p = *c.p;
  std::vector<Breakpoint*> timed;  // of the sessions that trace its calls
  for (Breakpoint* r = &b; r; r = r->next.load(std::memory_order_acquire)) {
    if (!is_timed(*r)) continue;
    const SessionId session = r->session.load(std::memory_order_relaxed);
    if (p.vm().tracing->state(p, session).flags & traced::call) timed.push_back(r);
  }
  if (timed.empty()) return;
  ProcessExtra& x = p.rare();
  charge(p);
  for (Breakpoint* r : timed) {
    std::lock_guard lock(r->times_lock);
    ++r->times[p.id].calls;
  }
  if (!has_trace_frame(*c.vm->code, c.e(), TraceFrame::return_time)) {
    Term* e = c.e() - 2;
    e[0] = reinterpret_cast<Term>(c.vm->code->return_time_trace);
    e[1] = make_small(static_cast<int32_t>(x.timed_function));
    c.set_e(e);
  }
  x.timed_function = b.number;
}

void leave_timed(Process& p, Term previous) {
  ProcessExtra& x = p.rare();
  charge(p);
  x.timed_function = static_cast<uint32_t>(small_value(previous));
}

void stop_call_time(Process& p) {
  if (p.extra) charge(p);
}
void start_call_time(Process& p) {
  if (p.extra) p.extra->timed_since = p.vm().clock->monotonic_ns();
}

}  // namespace wb
