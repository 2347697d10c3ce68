#include "vm/process/handle_signals.h"

#include <utility>

#include "term/external.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/bounded_mailbox.h"
#include "vm/process/event_log.h"
#include "vm/process/exec.h"
#include "vm/process/exit.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/overtake.h"
#include "vm/process/relations.h"
#include "vm/process/requests.h"
#include "vm/process/run.h"
#include "vm/process/sequential.h"
#include "vm/process/suspensions.h"
#include "vm/process/trace_flags.h"
#include "vm/process/undecoded.h"
#include "vm/process/visit.h"

namespace wb {

// --- receiving -----------------------------------------------------------------------------------
static WB_INLINE void count_message(Process& p, const Signal& s) {
  ++p.message_count;
  if (s.fragment) p.message_words += fragment_words(s);
  if (p.waiting_for == WaitFor::message) p.waiting_for = WaitFor::nothing;
}
static void append_message(Process& p, Signal* s) {
  if (is_traced(p, traced::receive | traced::watch_receive)) p.vm().hooks->trace_receive(p, *s);
  s->next = nullptr;
  *p.messages_end = s;
  p.messages_end = &s->next;
  count_message(p, *s);
}
static void receive_message(Process& p, Signal* s, Reception how) {
  if (WB_LIKELY(how == Reception::ordinary)) return append_message(p, s);
  if (is_traced(p, traced::receive | traced::watch_receive)) p.vm().hooks->trace_receive(p, *s);
  overtake(p, s);
  count_message(p, *s);
}
/// A message does not count who sent it.
static void forget_remote_sender(Signal* s) {
  const Address from = std::exchange(s->from, Address::of_local(node_of(s->from).name));
  from.release();
}
/// Signal `s` becomes the message that a tuple of `elements` is; they lie in the heap or came with
/// `s`. Behind a long queue, or if its process wants that, the message has a fragment of its own.
template <class... T>
static void become_message(Process& p, Signal* s, Reception how, T... elements) {
  if (WB_UNLIKELY(s->from.is_remote())) forget_remote_sender(s);
  if (p.off_heap_messages || p.message_count.get() >= kNear) {
    Signal* message = new_signal(SignalKind::message, tuple(p.heap, elements...));
    message->from = std::exchange(s->from, Address());
    message->request = std::exchange(s->request, Request::none);
    message->ref = s->ref;
    receive_message(p, message, how);
    return free_signal(s);
  }
  if (s->fragment) p.heap.adopt(s->fragment), s->fragment = nullptr;
  s->kind = SignalKind::message;
  s->term = tuple(p.heap, elements...);
  if (p.heap_messages == HeapMessages::none) p.heap_messages = HeapMessages::near;
  receive_message(p, s, how);
}

/// What becomes of a signal: `done` ones are freed, `kept` ones are messages now.
enum class Fate { done, kept, ended };

/// An exit signal: becomes a message, is ignored, or ends the process.
static Fate handle_exit(Exec& c, Signal* s, bool linked, Reception how = Reception::ordinary) {
  Process& p = *c.p;
  Term reason = s->term;
  if (linked) how = take_link(p, s->from);
  if (how == Reception::refused) return Fate::done;
  if (!linked && reason == am::kill) {
    exit_process(c, am::killed);
    return Fate::ended;
  }
  const bool by_itself = s->kind == SignalKind::exit && s->from == p.address();
  bool ends = !p.trap_exit && (reason != am::normal || by_itself);
  if (linked && !ends && is_traced(p, traced::procs)) {
    p.vm().hooks->trace_procs(p, am::getting_unlinked, term_of(s->from, p.heap));
  }
  if (p.trap_exit) {
    become_message(p, s, how, am::EXIT, term_of(s->from, p.heap), reason);
    return Fate::kept;
  }
  if (!ends) return Fate::done;
  exit_process(c, reason);
  return Fate::ended;
}

static Fate handle_down(Process& p, Signal* s) {
  if (!p.links) return Fate::done;
  auto it = p.links->monitors.find(s->ref);
  if (it == p.links->monitors.end()) return Fate::done;
  Monitor m = it->second;
  Term ref = monitor_ref(p, p.heap, s->ref, m.alias);
  p.links->monitors.erase(it);
  if (m.alias == AliasMode::explicit_unalias) p.links->aliases[s->ref] = {m.alias};
  Term object = monitored(m, p.heap);
  m.target.release();
  if (m.tag_fragment) p.heap.adopt(m.tag_fragment);
  if (!is_pointer(s->term)) s->request = Request::token_stays;
  const Reception how = m.priority ? Reception::priority : Reception::ordinary;
  become_message(p, s, how, is_value(m.tag) ? m.tag : am::DOWN, ref, m.type, object, s->term);
  return Fate::kept;
}

static void handle_monitor(Process& p, Signal* s) {
  Relations& r = p.relations();
  r.remote |= s->from.is_remote();
  r.watchers[s->ref] = {std::exchange(s->from, Address()), s->term};
}
static void handle_demonitor(Process& p, uint64_t number) {
  if (!p.links) return;
  auto it = p.links->watchers.find(number);
  if (it == p.links->watchers.end()) return;
  const Address who = it->second.who;
  p.links->watchers.erase(it);
  who.release();
}

static uint64_t alias_of(const Signal& s) {
  return s.request == Request::token ? reinterpret_cast<const seq::Token*>(s.ref)->alias : s.ref;
}

/// True: go on; false: the process ended. Frees `s` unless it was kept.
static bool handle_one(Exec& c, Signal* s) {
  Process& p = *c.p;
  Fate fate = Fate::done;
  switch (s->kind) {
    case SignalKind::message:
      append_message(p, s);
      return true;
    case SignalKind::alias_message:
      if (take_alias(p, alias_of(*s)) == Reception::refused) break;
      s->kind = SignalKind::message;
      append_message(p, s);
      return true;
    case SignalKind::priority_message: {
      const Reception how = take_alias(p, alias_of(*s));
      if (how == Reception::refused) break;
      s->kind = SignalKind::message;
      receive_message(p, s, how);
      return true;
    }
    case SignalKind::exit:
      fate = handle_exit(c, s, false);
      break;
    case SignalKind::alias_exit:
    case SignalKind::priority_exit: {
      Reception how = alias_reception(p, alias_of(*s));
      if (how == Reception::priority && s->kind == SignalKind::alias_exit)
        how = Reception::ordinary;
      fate = handle_exit(c, s, false, how);
      break;
    }
    case SignalKind::link_exit:
      fate = handle_exit(c, s, true);
      break;
    case SignalKind::link:
      handle_link(p, s->from);
      break;
    case SignalKind::unlink:
      handle_unlink(p, s->from, s->ref);
      break;
    case SignalKind::unlink_ack:
      handle_unlink_ack(p, s->from, s->ref);
      break;
    case SignalKind::monitor:
      handle_monitor(p, s);
      break;
    case SignalKind::demonitor:
      handle_demonitor(p, s->ref);
      break;
    case SignalKind::down:
      fate = handle_down(p, s);
      break;
    case SignalKind::timeout:
      if (ReceiveParts* r = receive_of(p); r && r->timer.running && r->timer.number == s->ref) {
        r->timer.running = false;
        p.timed_out = true;
        if (p.waiting_for == WaitFor::message) p.waiting_for = WaitFor::nothing;
      }
      break;
    case SignalKind::group_leader:
      set_group_leader(p, s->term);
      break;
    case SignalKind::request:
      handle_request(c, *s);
      break;
    case SignalKind::reply:
      if (p.extra && p.extra->awaited == s->ref) {
        p.extra->awaited = 0;
        p.extra->reply = s->term;
        if (s->fragment) p.heap.adopt(s->fragment), s->fragment = nullptr;
        if (p.waiting_for == WaitFor::reply) p.waiting_for = WaitFor::nothing;
      }
      break;
    case SignalKind::suspend:
      ++p.suspend_count;
      p.vm().suspensions->suspended(p.address(), s->from);
      break;
    case SignalKind::resume:
      if (p.suspend_count) --p.suspend_count;
      p.vm().suspensions->resumed(p.address(), s->from);
      break;
    case SignalKind::visit:
      Visit::of(*s).visit(p);
      break;
    case SignalKind::work_done:
      p.waiting_for = WaitFor::nothing;
      break;
  }
  if (fate != Fate::kept) free_signal(s);
  return fate != Fate::ended;
}

/// Oldest first.
static Signal* reversed(Signal* newest) {
  Signal* oldest = nullptr;
  while (newest) {
    Signal* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

/// Some batches are reported to the observer: who had sent the first message of how many.
WB_COLD static void note_flow(Exec& c, const Signal* s) {
  Worker& w = *c.worker;
  uint64_t now = read_ticks();
  uint32_t weight = w.flow_sampler.take_sample(now);
  Address from;
  uint32_t messages = 0;
  uint64_t words = 0;
  for (; s && messages < 1000; s = s->next) {
    if (s->kind > SignalKind::priority_message) continue;
    ++messages;
    words += fragment_words(*s);
    if (!from) from = s->from;
  }
  if (!messages || !from.is_local_pid()) return;
  w.flows.record(
      {now, event_label(from.local_term()), event_label(c.p->id), messages, weight, words});
}

WB_INLINE void watch_signals(Exec& c, const Signal* s, uint32_t look) {
  if (WB_UNLIKELY(c.vm->event_log != nullptr)) c.vm->event_log->signals(*c.p, s);
  if (WB_UNLIKELY(c.worker->flow_sampler.is_sampled(look))) note_flow(c, s);
}

static bool is_task(const Signal& s, Request request) {
  return s.kind == SignalKind::request && s.request == request;
}

/// Of the tasks that came in together those of low priority go one after each eight others: `s`
/// and what follows it in that order, in which there is no low one any more.
WB_COLD static Signal* low_tasks_last(Signal* s) {
  Signal *first = nullptr, *low = nullptr;
  Signal **end = &first, **low_end = &low;
  auto take_low = [&] {
    *end = low;
    end = &low->next;
    low->request = Request::task;
    if (!(low = low->next)) low_end = &low;
  };
  uint32_t others = 0;
  for (Signal* next; s; s = next) {
    next = s->next;
    if (is_task(*s, Request::low_task)) {
      *low_end = s;
      low_end = &s->next;
      s->next = nullptr;
      continue;
    }
    *end = s;
    end = &s->next;
    if (is_task(*s, Request::task) && ++others % 8 == 0 && low) take_low();
  }
  while (low) take_low();
  *end = nullptr;
  return first;
}

/// `s` and what follows it reached a process that has ended.
static void all_too_late(Process& p, Signal* s) {
  while (s) {
    Signal* next = s->next;
    reply_too_late(p, *s);
    free_signal(s);
    s = next;
  }
}

/// It has something `special`.
WB_COLD static void handled_unusual(Process& p) {
  if (p.special & kUndecoded && !p.suspend_count) drop_undecoded(p);
  if (p.special & kHasPolicies) tell_policies(p, &Policy::changed);
}

/// Signals have come in to a process that counts messages. What is left of them; the process may
/// have ended.
WB_COLD static Signal* count_arrivals(Exec& c, Signal* first) {
  Process& p = *c.p;
  bool killed = false;
  if (p.extra->rare->mailbox) first = bound_messages(p, first, &killed);
  if (killed) {
    exit_process(c, am::mailbox_full);
    all_too_late(p, first);
    return nullptr;
  }
  if (p.special & kHasPolicies) tell_policies(p, &Policy::arrived, first);
  return first;
}

bool handle_signals(Exec& c) {
  Process& p = *c.p;
  if (!has_signals(p)) return true;
  Signal* s = reversed(p.inbox.exchange(nullptr, std::memory_order_acq_rel));
  uint32_t look = c.worker->measures.load(std::memory_order_relaxed);
  if (WB_UNLIKELY(look)) watch_signals(c, s, look);
  if (WB_UNLIKELY(p.counts_messages)) {
    s = count_arrivals(c, s);
    if (p.exiting) return false;
  }
  const uint32_t messages = p.message_count;
  uint32_t signals = 0;
  for (; s; ++signals) {
    Signal* next = s->next;
    if (WB_LIKELY(s->kind == SignalKind::message)) {
      append_message(p, s);
    } else {
      if (WB_UNLIKELY(is_task(*s, Request::low_task))) s = low_tasks_last(s), next = s->next;
      if (!handle_one(c, s)) {
        all_too_late(p, next);
        return false;
      }
    }
    s = next;
    --c.fc;
  }
  WorkerCounters& n = c.worker->counters;
  n.signals.add(signals);
  n.messages.add(p.message_count - messages);
  const uint32_t long_queue = c.vm->settings->limits.long_queue.load(std::memory_order_relaxed);
  if (WB_UNLIKELY(long_queue) && p.message_count >= long_queue) c.vm->hooks->queue_changed(p);
  if (WB_UNLIKELY(p.special)) handled_unusual(p);
  return true;
}

void abandon_inbox(Process& p) {
  Signal* s = p.inbox.exchange(closed_inbox(), std::memory_order_acq_rel);
  if (s == parked_inbox() || s == closed_inbox()) return;
  while (s) {
    Signal* next = s->next;
    if (s->kind == SignalKind::visit) Visit::of(*s).drop();
    free_signal(s);
    s = next;
  }
}

void close_inbox(Process& p) {
  all_too_late(p, reversed(p.inbox.exchange(closed_inbox(), std::memory_order_acq_rel)));
}

}  // namespace wb
