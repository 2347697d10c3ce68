// call_time, call_memory: how long each process was in a function, and how many words of heap it
// used there, without the traced functions it called.
//
// A process has a meter of each cost (vm/process/call_meter.h): the function that it runs for and
// up to where that has been charged. A call charges the function before, then the meter is the
// called one's; a frame on the stack remembers whose both meters were. Where several sessions meter
// calls, it is one meter for all of them: what a session measures is without what others measure
// below it. Tail calls find such a frame there already: the meter goes to whoever was called last,
// and back to the first caller when all return.
//
// The meter of time stands still while the process does. That of memory is turned back by what a
// collection has freed (meter_collection, vm/process/collect.cc).
#include <algorithm>
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
namespace {

uint8_t metered_costs(const Breakpoint& b) {
  const CallPatterns* patterns = b.patterns.load(std::memory_order_acquire);
  return patterns ? patterns->metered() : 0;
}

int64_t reading(Process& p, CallCost cost) {
  if (cost == CallCost::time) return p.vm().clock->monotonic_ns();
  const ProcessHeap& h = p.heap;
  return static_cast<int64_t>(h.used_words() + h.old_used_words() + h.fragment_words());
}

/// Adds what was spent since the meter was read last to the function it runs for. What all this
/// costs is part of whoever runs next: no time is lost.
void charge(Process& p, CallCost cost) {
  CallMeter& meter = p.extra->rare->meter(cost);
  const int64_t now = reading(p, cost);
  const int64_t spent = now - std::exchange(meter.charged_until, now);
  if (meter.function == CallMeter::kNobody) return;
  Breakpoint* b = p.vm().tracing->breakpoints.at(meter.function);
  for (; b; b = b->next.load(std::memory_order_acquire)) {
    if (!(metered_costs(*b) & bit(cost))) continue;
    std::lock_guard lock(b->costs_lock);
    auto& costs = b->costs_of(cost);
    auto it = costs.find(p.id);
    if (it != costs.end()) it->second.spent += std::max<int64_t>(spent, 0);
  }
}

/// Counts the call in each session that meters the cost and traces the caller's calls; any?
bool count_call(Process& p, Breakpoint& b, CallCost cost) {
  bool any = false;
  for (Breakpoint* r = &b; r; r = r->next.load(std::memory_order_acquire)) {
    if (!(metered_costs(*r) & bit(cost))) continue;
    const SessionId session = r->session.load(std::memory_order_relaxed);
    if (!(p.vm().tracing->state(p, session).flags & traced::call)) continue;
    std::lock_guard lock(r->costs_lock);
    ++r->costs_of(cost)[p.id].calls;
    any = true;
  }
  return any;
}

/// Whose the meters are, in the word of a frame: 26 bits each.
Term meters_word(RareParts& x) {
  const int64_t memory = x.meter(CallCost::memory).function;
  return make_small(memory << 26 | x.meter(CallCost::time).function);
}

}  // namespace

void enter_metered(Exec& c, Breakpoint& b) {
  Process& p = *c.p;
  RareParts& x = p.rare();
  const Term before = meters_word(x);
  bool any = false;
  for (CallCost cost : kCallCosts) {
    if (!count_call(p, b, cost)) continue;
    charge(p, cost);
    x.meter(cost).function = b.number;
    any = true;
  }
  if (!any || has_trace_frame(*c.vm->code, c.e(), TraceFrame::return_metered)) return;
  Term* e = c.e() - 2;
  e[0] = reinterpret_cast<Term>(c.vm->code->return_metered);
  e[1] = before;
  c.set_e(e);
}

void leave_metered(Process& p, Term before) {
  RareParts& x = p.rare();
  for (CallCost cost : kCallCosts) charge(p, cost);
  const auto functions = static_cast<uint64_t>(small_value(before));
  x.meter(CallCost::time).function = functions & CallMeter::kNobody;
  x.meter(CallCost::memory).function = static_cast<uint32_t>(functions >> 26);
}

void stop_call_meters(Process& p) {
  if (!rare_of(p)) return;
  for (CallCost cost : kCallCosts) charge(p, cost);
}
void start_call_meters(Process& p) {
  if (!rare_of(p)) return;
  for (CallCost cost : kCallCosts) p.extra->rare->meter(cost).charged_until = reading(p, cost);
}

}  // namespace wb
