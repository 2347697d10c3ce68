// receive, send and waiting.
//
// A receive looks at messages one by one (looking.cc) through p.save, a pointer to the link it
// looks at next. While it looks at one, p.peeked is set: registers may then point into that
// message's fragment. The receive timer is set by the first wait_timeout of a receive and belongs
// to it until the message is taken (remove_message) or the timeout is (timeout). A receive that was
// left by an exception leaves it behind: the next receive finds that it is not its own.
#include "gc/block_pool.h"
#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/interp/errors.h"
#include "vm/interp/handler.h"
#include "vm/interp/interpreter.h"
#include "vm/process/bounded_mailbox.h"
#include "vm/process/extra.h"
#include "vm/process/handle_signals.h"
#include "vm/process/native.h"
#include "vm/process/saved_calls.h"
#include "vm/process/send.h"
#include "vm/process/sequential.h"
#include "vm/process/signal.h"
#include "vm/process/trace_flags.h"

namespace wb {

static const Word* op_send(Exec& c, const Word* I) {
  instr::send in{I};
  c.fc -= 2;
  Term sent = send_term(*c.p, c.x[0], c.x[1], {.by_instruction = true});
  if (sent == kYield) {  // suspended by a busy port: once more, later, and as BEAM in erlang:send/2
    c.set_e(c.e() - 1);
    *c.e() = reinterpret_cast<Word>(in.after());
    const Export* again = c.vm->code->export_entry(am::erlang, am::send, 2);
    return leave_yielding(c, again->entry.load(std::memory_order_acquire), 2);
  }
  if (sent != am::ok) {
    return raise_bif(c, I, c.vm->code->export_entry(am::erlang, am::send, 2), c.x,
                     is_fault(sent) ? sent : kBadarg);
  }
  c.x[0] = c.x[1];
  return in.after();
}

// --- taking --------------------------------------------------------------------------------------
static void drop_timer(Exec& c) {
  if (ReceiveParts* r = receive_of(*c.p); r && r->timer.running) {
    c.vm->scheduler->cancel_timer(r->timer);
    r->timer.running = false;
  }
  c.p->timer_set = c.p->timed_out = false;
}
static void end_receive(Exec& c) {
  Process& p = *c.p;
  p.save = &p.messages;
  p.peeked = false;
  if (p.timer_set) drop_timer(c);
}
static void watch_receive(Process& p, Signal& s) {
  if (is_traced(p, traced::saves_calls)) save_event(p, am::receive);
  if (p.trace_flags.load(std::memory_order_relaxed) & traced::long_queue)
    p.vm().hooks->queue_changed(p);
  if (s.request != Request::none || may_have_token(p)) receive_token(p, s);
  if (s.counted) message_taken(p);
}
static const Word* op_remove_message(Exec& c, const Word* I) {
  instr::remove_message in{I};
  Process& p = *c.p;
  Signal* s = *p.save;
  *p.save = s->next;
  if (p.messages_end == &s->next) p.messages_end = p.save;
  if (ReceiveParts* r = receive_of(p)) {
    for (ReceiveMarker& m : r->markers) {
      if (m.position == &s->next) m.position = p.save;
    }
  }
  --p.message_count;
  constexpr uint32_t kWatched = traced::sequential | traced::saves_calls | traced::long_queue;
  const uint32_t flags = p.trace_flags.load(std::memory_order_relaxed);
  if (WB_UNLIKELY(s->is_special() || flags & kWatched)) watch_receive(p, *s);
  if (s->fragment) {
    p.message_words += -fragment_words(*s);
    p.heap.adopt(s->fragment);
  }
  pool_free(s, sizeof(Signal));
  end_receive(c);
  return in.after();
}
static const Word* op_timeout(Exec& c, const Word* I) {
  instr::timeout in{I};
  if (is_traced(*c.p, traced::receive | traced::watch_receive)) c.vm->hooks->trace_timeout(*c.p);
  if (is_traced(*c.p, traced::saves_calls)) save_event(*c.p, am::timeout);
  end_receive(c);
  return in.after();
}

/// From here on the message looked at is ours, whatever becomes of its place in the queue.
static const Word* op_keep_message(Exec& c, const Word* I) {
  instr::keep_message in{I};
  adopt_peeked(*c.p);
  return in.after();
}
static const Word* op_unless_looking(Exec& c, const Word* I) {
  instr::unless_looking in{I};
  return c.p->peeked ? in.after() : reinterpret_cast<const Word*>(in.next());
}

// --- waiting -------------------------------------------------------------------------------------
static const Word* wait_for_message(Exec& c, Word loop) {
  if (WB_UNLIKELY(c.p->heap.is_too_large_to_wait()) &&
      !collect_garbage(c, 0, 0, Collection::waiting)) {
    return leave_dying(c);
  }
  c.p->waiting_for = WaitFor::message;
  return leave_waiting(c, reinterpret_cast<const Word*>(loop));
}

static const Word* op_wait(Exec& c, const Word* I) {
  if (WB_UNLIKELY(c.p->timer_set)) drop_timer(c);
  return wait_for_message(c, instr::wait{I}.loop());
}

static void fire_receive_timer(Worker&, Timer& timer) {
  auto& t = static_cast<ReceiveTimer&>(timer);
  Signal* s = new_signal(SignalKind::timeout);
  s->ref = t.number;
  push_signal(*t.process, s);
}
static const Word* op_wait_timeout(Exec& c, const Word* I) {
  instr::wait_timeout in{I};
  Process& p = *c.p;
  ReceiveParts* const r = receive_of(p);
  const Word* const until = r ? r->timer.after : nullptr;
  if (WB_UNLIKELY(p.timer_set && until && until != in.after())) drop_timer(c);
  if (p.timed_out) {
    p.timed_out = false;
    return in.after();
  }
  if (!p.timer_set) {
    Term time = load_operand(c, in.time());
    if (time == am::infinity) {  // set, never running: woken up, we must not look at `time` again
      p.timer_set = true;
      if (r) r->timer.after = in.after();
      return wait_for_message(c, in.loop());
    }
    uint64_t ms;
    if (!to_uint64(time, &ms) || ms > 0xffffffff) {
      end_receive(c);  // whoever catches it looks at all messages again
      return raise_error(c, I, am::timeout_value);
    }
    if (ms == 0) return in.after();
    ReceiveTimer& t = p.receives().timer;
    p.timer_set = t.running = true;
    t.process = &p;
    ++t.number;
    t.after = in.after();
    Scheduler& s = *c.vm->scheduler;
    s.start_timer(t, s.now_ns() + ms * 1'000'000, fire_receive_timer);
  }
  return wait_for_message(c, in.loop());
}

// --- receive markers: skip what came before a reference was made ---------------------------------
static constexpr size_t kMaxMarkers = 8;
static const Word* op_recv_marker_reserve(Exec& c, const Word* I) {
  instr::recv_marker_reserve in{I};
  Process& p = *c.p;
  p.resume = I;
  if (has_signals(p) && !handle_signals(c)) return leave_dead(c);
  auto& markers = p.receives().markers;
  if (markers.size() >= kMaxMarkers) {
    markers.erase(markers.begin() + (markers[0].id == ReceiveMarker::kEndOfBlock));
  }
  uint64_t id = p.extra->receive->next_marker++;
  markers.push_back({0, id, p.messages_end});
  store_operand(c, in.dst(), make_small(static_cast<int64_t>(id)));
  return in.after();
}
static const Word* op_recv_marker_bind(Exec& c, const Word* I) {
  instr::recv_marker_bind in{I};
  Term id = load_operand(c, in.marker()), ref = load_operand(c, in.reference());
  if (is_small(id) && is_local_ref(ref) && receive_of(*c.p)) {
    for (ReceiveMarker& m : c.p->extra->receive->markers) {
      if (static_cast<int64_t>(m.id) == small_value(id)) m.ref = ref_number(ref);
    }
  }
  return in.after();
}
static ReceiveMarker* find_marker(Exec& c, Term ref) {
  if (!is_local_ref(ref) || !receive_of(*c.p)) return nullptr;
  uint64_t number = ref_number(ref);
  for (ReceiveMarker& m : c.p->extra->receive->markers) {
    if (m.ref == number && m.id != ReceiveMarker::kEndOfBlock) return &m;
  }
  return nullptr;
}
static const Word* op_recv_marker_clear(Exec& c, const Word* I) {
  instr::recv_marker_clear in{I};
  if (ReceiveMarker* m = find_marker(c, load_operand(c, in.reference()))) {
    auto& all = c.p->extra->receive->markers;
    all.erase(all.begin() + (m - all.data()));
  }
  return in.after();
}
static const Word* op_recv_marker_use(Exec& c, const Word* I) {
  instr::recv_marker_use in{I};
  if (ReceiveMarker* m = find_marker(c, load_operand(c, in.reference()))) c.p->save = m->position;
  return in.after();
}

// --- waiting for an answer (vm/process/requests.h) -----------------------------------------------
static const Word* op_await_reply(Exec& c, const Word* I) {
  Process& p = *c.p;
  ProcessExtra& extra = p.extras();
  if (extra.awaited) {
    p.resume = I;
    if (has_signals(p) && !handle_signals(c)) return leave_dead(c);
    if (extra.awaited) {
      p.waiting_for = WaitFor::reply;
      return leave_waiting(c, I);
    }
  }
  if (c.fc <= 0) return leave_yielding(c, I, 0);
  c.x[0] = extra.reply;
  extra.reply = kNone;
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  return back;
}

// --- hibernate: x0..x2 are module, function, arguments -------------------------------------------
const Word* hibernate(Exec& c) {
  Process& p = *c.p;
  if (!handle_signals(c)) return leave_dead(c);
  Term* e = p.heap.stack_base();
  *--e = reinterpret_cast<Term>(c.vm->code->process_end);
  p.heap.set_stack(e);
  end_receive(c);
  if (!collect_garbage(c, 0, 3, Collection::shrink)) return leave_dying(c);
  const Word* go_on = c.vm->code->export_entry(am::erlang, am::apply, 3)->stub_entry();
  if (p.messages) return leave_yielding(c, go_on, 3);
  leave_yielding(c, go_on, 3);
  p.waiting_for = WaitFor::message;
  p.hibernating = true;
  c.after = After::parked;
  return c.vm->code->leave;
}

const Word* hibernate_in_place(Exec& c, const Word* I) {
  Process& p = *c.p;
  p.resume = I;
  if (has_signals(p) && !handle_signals(c)) return leave_dead(c);
  if (!p.messages) {
    end_receive(c);
    if (!collect_garbage(c, 0, 0, Collection::shrink)) return leave_dying(c);
    p.waiting_for = WaitFor::message;
    return leave_waiting(c, I);
  }
  c.x[0] = am::ok;
  const Word* back = reinterpret_cast<const Word*>(*c.e());
  c.set_e(c.e() + 1);
  return back;
}

void install_messages(Word* t, bool) {
  set_slow(t, Instr::send, &slow_handler<op_send>);
  set_slow(t, Instr::remove_message, &slow_handler<op_remove_message>);
  set_slow(t, Instr::timeout, &slow_handler<op_timeout>);
  set_slow(t, Instr::keep_message, &slow_handler<op_keep_message>);
  set_slow(t, Instr::unless_looking, &slow_handler<op_unless_looking>);
  set_slow(t, Instr::wait, &slow_handler<op_wait>);
  set_slow(t, Instr::wait_timeout, &slow_handler<op_wait_timeout>);
  set_slow(t, Instr::recv_marker_reserve, &slow_handler<op_recv_marker_reserve>);
  set_slow(t, Instr::recv_marker_bind, &slow_handler<op_recv_marker_bind>);
  set_slow(t, Instr::recv_marker_clear, &slow_handler<op_recv_marker_clear>);
  set_slow(t, Instr::recv_marker_use, &slow_handler<op_recv_marker_use>);
  set_slow(t, Instr::await_reply, &slow_handler<op_await_reply>);
}

}  // namespace wb
