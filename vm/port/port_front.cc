// A port and what waits in front of it (front.h), and who looks at it when the lock is free.
#include "term/lists.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/io/iolist.h"
#include "vm/port/port.h"
#include "vm/port/port_tracer.h"
#include "vm/port/ports.h"
#include "vm/process/route.h"
#include "vm/process/trace_flags.h"

namespace wb {

// --- whoever has no lock -------------------------------------------------------------------------
void Port::pull() {
  if (!pull_wanted_.exchange(true, std::memory_order_seq_cst) && front_) {
    std::lock_guard guard(lock_->crowd_lock);
    lock_->crowd.push_back(shared_from_this());
    lock_->crowded.store(true, std::memory_order_seq_cst);
  }
  pull_if_wanted();
  if (front_) serve_crowd();
}
/// Who does not get the lock leaves it to its holder, who looks here after unlocking: one of the
/// two sees the other.
void Port::pull_if_wanted() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (pull_wanted_.load(std::memory_order_relaxed) && lock_->try_lock()) {
    {
      Guard guard(*this, kNone, Guard::Mode::pulling);
      if (pull_wanted_.exchange(false)) {
        if (front_) take_from_front();
        if (driver_ && channel_ && state_ == State::open) driver_->pull();
      }
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}
/// The same for ports that share the lock which this one has just given back.
void Port::serve_crowd() {
  PortLock& shared = *lock_;
  while (WB_UNLIKELY(shared.crowded.load(std::memory_order_seq_cst))) {
    std::vector<std::shared_ptr<Port>> crowd;
    {
      std::lock_guard guard(shared.crowd_lock);
      shared.crowded.store(false, std::memory_order_seq_cst);
      crowd.swap(shared.crowd);
    }
    for (auto& port : crowd) port->pull_if_wanted();
  }
}

// --- sending to a driver of a library ------------------------------------------------------------
/// am::true_, am::false_ (it would be suspended, and does not want to be), am::badarg (the port is
/// closed), or kYield: `from` is suspended and does it again.
Term Port::send_linked(Process& from, PortFront::Kind kind, Term term, size_t bytes,
                       bool nosuspend) {
  PortFront& f = *front_;
  const bool is_data = kind != PortFront::Kind::message;
  if (state_ != State::open) return am::badarg;
  from.charge(static_cast<int64_t>(bytes / 8000));
  {
    std::unique_lock guard(f.lock);
    if (is_data && (busy_ || f.is_full())) {
      if (nosuspend) return am::false_;
      f.wait(from.id);
      push_signal(from, new_signal(SignalKind::suspend));
      guard.unlock();
      vm_.hooks->suspended_by_port(from, id);
      return kYield;
    }
    if (f.is_empty() && lock_->try_lock()) {
      guard.unlock();
      Guard held(*this, kNone, Guard::Mode::usual);
      if (state_ != State::open) return am::badarg;
      PortFront::Item item{.kind = kind, .from = from.address(), .term = term};
      take_item(item);
      return am::true_;
    }
    f.add(kind, from.address(), term, bytes);
  }
  pull();
  return am::true_;
}

bool Port::suspend_behind_own(Process& from) {
  if (WB_LIKELY(!front_ || front_->is_empty())) return false;
  {
    std::lock_guard guard(front_->lock);
    if (!busy_ || !front_->has(from.address())) return false;
    front_->wait(from.id);
    push_signal(from, new_signal(SignalKind::suspend));
  }
  vm_.hooks->suspended_by_port(from, id);
  return true;
}
/// True: it goes behind what its sender has sent.
bool Port::queue_behind_own(Signal* s) {
  if (WB_LIKELY(!front_ || front_->is_empty())) return false;
  std::lock_guard guard(front_->lock);
  if (!front_->has(s->from)) return false;
  front_->add(s);
  return true;
}

// --- handing over; the lock is held --------------------------------------------------------------
void Port::take_from_front() {
  PortFront& f = *front_;
  while (!f.is_empty()) {
    if (state_ != State::open) return drop_front();
    std::optional<PortFront::Item> item;
    {
      std::lock_guard guard(f.lock);
      item = f.take(busy_);
    }
    if (!item) return;
    const uint64_t least = vm_.settings->limits.long_schedule_ms.load(std::memory_order_relaxed);
    const uint64_t since = WB_UNLIKELY(least) ? vm_.scheduler->now_ns() : 0;
    take_item(*item);
    free_item(*item);
    if (WB_UNLIKELY(least)) ports_.tracer->took(*this, PortTask::proc_sig, since);
    resume_front();
  }
}
void Port::resume_front() {
  std::vector<Term> resumed;
  {
    std::lock_guard guard(front_->lock);
    if (front_->wakes(busy_)) resumed = front_->take_waiting();
  }
  for (Term pid : resumed) route(vm_, pid, new_signal(SignalKind::resume));
}
/// The port has ended: who is linked or monitors is answered as by a port that was never there.
void Port::drop_front() {
  PortFront& f = *front_;
  for (;;) {
    std::optional<PortFront::Item> item;
    {
      std::lock_guard guard(f.lock);
      item = f.take(false);
    }
    if (!item) break;
    if (Signal* s = item->signal) {
      const bool links = s->kind == SignalKind::link, monitors = s->kind == SignalKind::monitor;
      if (links || monitors || s->kind == SignalKind::unlink) {
        Signal* answer = links      ? new_signal(SignalKind::link_exit, am::noproc)
                         : monitors ? new_signal(SignalKind::down, am::noproc)
                                    : new_signal(SignalKind::unlink_ack);
        answer->from = address();
        answer->ref = s->ref;
        route(vm_, s->from, answer);
      }
    }
    free_item(*item);
  }
}

bool Port::take_data(Address from, Term sender, Term data) {
  size_t bits = 0;
  UnlimitedBudget budget;
  if (!(is_list(data) || is_bitstring(data))) return false;
  if (!iolist_bits(data, true, &bits, budget)) return false;
  bytes_out_ += bits / 8;
  tell_command(sender, data);
  driver_->command(from.local_term(), data, bits / 8);
  return true;
}

void Port::take_item(PortFront::Item& item) {
  switch (item.kind) {
    case PortFront::Kind::data: {
      const Term told = tell_running(am::command);
      take_data(item.from, item.from.local_term(), item.term);
      return tell_ran(told);
    }
    case PortFront::Kind::command:
    case PortFront::Kind::message: {
      const Term told = tell_running(named_in(item.term));
      take_message(item.from, item.term);
      return tell_ran(told);
    }
    case PortFront::Kind::signal:
      signal_now(std::exchange(item.signal, nullptr));
  }
}

}  // namespace wb
