#include "vm/process/bounded_mailbox.h"

#include <mutex>

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/route.h"
#include "vm/process/signal.h"

namespace wb {

Term atom_of(WhenFull when_full) {
  switch (when_full) {
#define MAILBOX_POLICY(name, what) \
  case WhenFull::name:             \
    return am::name;
#include "vm/process/mailbox_policies.def"
  }
}

// --- places --------------------------------------------------------------------------------------
bool BoundedMailbox::reserve() {
  uint32_t held = held_.load(std::memory_order_relaxed);
  do {
    if (held >= limit) return false;
  } while (!held_.compare_exchange_weak(held, held + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed));
  return true;
}

void BoundedMailbox::release_place(Process& receiver) {
  const uint32_t left = held_.fetch_sub(1, std::memory_order_seq_cst) - 1;
  if (WB_UNLIKELY(awaited_.load(std::memory_order_seq_cst)) && left <= limit / 2)
    resume_all(receiver, false);
}

// --- waiting for room ----------------------------------------------------------------------------
BoundedMailbox::Wait BoundedMailbox::wait(Process& from) {
  std::lock_guard guard(lock_);
  if (closed_) return Wait::closed;
  awaited_.store(true, std::memory_order_seq_cst);
  if (held_.load(std::memory_order_seq_cst) < limit) return Wait::room;
  senders_.push_back(from.address());
  push_signal(from, new_signal(SignalKind::suspend));
  return Wait::suspended;
}

void BoundedMailbox::resume_all(Process& receiver, bool close) {
  std::vector<Address> senders;
  {
    std::lock_guard guard(lock_);
    closed_ |= close;
    awaited_.store(false, std::memory_order_seq_cst);
    senders.swap(senders_);
  }
  for (Address sender : senders) route(receiver.vm(), sender, new_signal(SignalKind::resume));
}
void BoundedMailbox::close(Process& receiver) { resume_all(receiver, true); }

size_t BoundedMailbox::waiting() const {
  std::lock_guard guard(lock_);
  return senders_.size();
}

// --- the sender decides --------------------------------------------------------------------------
static WorkerCounters* counters() {
  Worker* w = Scheduler::current();
  return w ? &w->counters : nullptr;
}
static void count_dropped(BoundedMailbox& m) {
  m.note_dropped();
  if (WorkerCounters* c = counters()) c->messages_dropped.add(1);
}

Admission admit(Process& from, Process& to, bool nosuspend) {
  BoundedMailbox& m = *to.extra->rare->mailbox;
  if (m.when_full == WhenFull::drop_oldest || m.when_full == WhenFull::kill)
    return Admission::enters;
  for (;;) {
    if (m.reserve()) return Admission::reserved;
    if (m.when_full == WhenFull::error) return Admission::fails;
    if (m.when_full == WhenFull::drop_newest) {
      count_dropped(m);
      return Admission::dropped;
    }
    if (&from == &to) return Admission::enters;
    if (nosuspend) return Admission::would_wait;
    const BoundedMailbox::Wait wait = m.wait(from);
    if (wait == BoundedMailbox::Wait::closed) return Admission::enters;
    if (wait == BoundedMailbox::Wait::suspended) break;
  }
  if (WorkerCounters* c = counters()) c->waits_for_room.add(1);
  return Admission::waits;
}

// --- the receiver decides ------------------------------------------------------------------------
/// A counted message that is in no list any more.
static void drop(Process& p, BoundedMailbox& m, Signal* s) {
  free_signal(s);
  count_dropped(m);
  m.release_place(p);
}
/// The oldest messages that count, until there are no more than the limit: of the queue, but for
/// one that a receive is just looking at, and then of those that have just come in.
static Signal* drop_oldest(Process& p, BoundedMailbox& m, Signal* arrived) {
  for (Signal** link = &p.messages; m.is_over() && *link;) {
    Signal* s = *link;
    if (!s->counted || (p.peeked && link == p.save)) {
      link = &s->next;
    } else {
      take_out(p, link, s);
      drop(p, m, s);
    }
  }
  for (Signal** link = &arrived; m.is_over() && *link;) {
    Signal* s = *link;
    if (!s->counted) {
      link = &s->next;
    } else {
      *link = s->next;
      drop(p, m, s);
    }
  }
  return arrived;
}

Signal* bound_messages(Process& p, Signal* first, bool* killed) {
  BoundedMailbox& m = *p.extra->rare->mailbox;
  Signal** link = &first;
  while (Signal* s = *link) {
    if (s->kind == SignalKind::message && !s->counted) {
      if (m.held() < m.limit || m.when_full != WhenFull::drop_newest) {
        s->counted = true;
        m.take_place();
      } else {
        count_dropped(m);
        *link = s->next;
        free_signal(s);
        continue;
      }
    }
    link = &s->next;
  }
  if (!m.is_over()) return first;
  *killed = m.when_full == WhenFull::kill;
  return m.when_full == WhenFull::drop_oldest ? drop_oldest(p, m, first) : first;
}

void message_taken(Process& p) {
  if (p.extra->rare->mailbox) p.extra->rare->mailbox->release_place(p);
  if (p.special & kHasPolicies) tell_policies(p, &Policy::message_taken);
}

}  // namespace wb
