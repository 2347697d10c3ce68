#include "vm/process/signal.h"

#include <new>

#include "gc/block_pool.h"
#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/profiled.h"
#include "vm/process/route.h"
#include "vm/process/sequential.h"
#include "vm/process/table.h"

namespace wb {

Signal* new_signal(SignalKind kind) {
  return new (must_pool_alloc(sizeof(Signal), "message")) Signal(kind);
}
Signal* new_signal(SignalKind kind, Term term) {
  Signal* s = new_signal(kind);
  if (size_t words = small_size(term)) {
    s->fragment = new_fragment(words);
    s->fragment->used = words;
    s->term = copy_small_to(term, s->fragment->data);
  } else if ((words = flat_size(term))) {
    FragmentHeap h(words);
    Term* hp = h.alloc(words);
    s->term = copy_term_to(term, &hp, h);
    s->fragment = h.take_fragments();
  } else {
    s->term = term;
  }
  return s;
}
void free_signal(Signal* s) {
  if (s->fragment) free_fragments(s->fragment);
  if (WB_UNLIKELY(s->request == Request::token)) free_token(*s);
  s->from.release();
  pool_free(s, sizeof(Signal));
}

/// The profiler is notified first.
WB_COLD static bool enqueue_and_notify(Process& p) {
  p.vm().hooks->process_active(p);
  p.vm().scheduler->enqueue(p);
  return true;
}

bool push_signal(Process& to, Signal* s, uint8_t boost) {
  Signal* old = to.inbox.load(std::memory_order_acquire);
  do {
    if (old == closed_inbox()) {
      free_signal(s);
      return false;
    }
    s->next = old == parked_inbox() ? nullptr : old;
  } while (!to.inbox.compare_exchange_weak(old, s, std::memory_order_acq_rel,
                                           std::memory_order_acquire));
  if (old == parked_inbox()) {
    to.state.store(ProcessState::runnable, std::memory_order_relaxed);
    if (boost > Runnable::kNormal) to.boost = boost;
    if (WB_UNLIKELY(is_profiled(to.vm()))) return enqueue_and_notify(to);
    to.vm().scheduler->enqueue(to);
  } else if (WB_UNLIKELY(boost > Runnable::kNormal)) {
    to.vm().scheduler->boost(to, boost);
  }
  return true;
}

void release_parked(Process& p) {
  if (park(p)) return;
  p.state.store(ProcessState::runnable, std::memory_order_relaxed);
  if (WB_UNLIKELY(is_profiled(p.vm()))) p.vm().hooks->process_active(p);
  p.vm().scheduler->enqueue(p);
}

static bool route_from(Vm& vm, Address to, SignalKind kind, Address from) {
  Signal* s = new_signal(kind);
  s->from = from;
  return route(vm, to, s);
}
bool suspend_process(Vm& vm, Address who, Address by) {
  return route_from(vm, who, SignalKind::suspend, by);
}
bool resume_process(Vm& vm, Address who, Address by) {
  return route_from(vm, who, SignalKind::resume, by);
}

void take_out(Process& p, Signal** link, Signal* s) {
  *link = s->next;
  if (p.messages_end == &s->next) p.messages_end = link;
  if (p.save == &s->next) p.save = link;
  if (ReceiveParts* r = receive_of(p)) {
    for (ReceiveMarker& m : r->markers) {
      if (m.position == &s->next) m.position = link;
    }
  }
  --p.message_count;
  p.message_words += -fragment_words(*s);
}

// --- references ----------------------------------------------------------------------------------
uint64_t ref_number(Term ref) {
  const Term* p = boxed_ptr(ref);
  return header_kind(p[0]) == Kind::magic_ref ? p[3] : p[1];
}
Term make_ref(Heap& h, uint64_t number) {
  Term* p = h.alloc(3);
  p[0] = make_header(Kind::ref, 2);
  p[1] = number;
  p[2] = 0;
  return make_boxed(p);
}
Term make_alias_ref(Heap& h, uint64_t number, Term pid) {
  Term* p = h.alloc(4);
  p[0] = make_header(Kind::pid_ref, 3);
  p[1] = number;
  p[2] = 0;
  p[3] = pid;
  return make_boxed(p);
}

}  // namespace wb
