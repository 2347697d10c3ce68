#include "vm/process/oldest_first.h"

#include <mutex>

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/signal.h"

namespace wb {

// --- the line ------------------------------------------------------------------------------------
void OldestFirst::note_first() {
  first_.store(line_.empty() ? ~uint64_t{0} : line_.begin()->oldest, std::memory_order_relaxed);
}
void OldestFirst::enter(OldestFirstPolicy& who, uint64_t oldest, Place place) {
  leave(who, place);
  who.entry_ = {oldest, ++arrivals_, &who};
  who.place_ = place;
  line_.insert(who.entry_);
}
bool OldestFirst::is_in_line(const OldestFirstPolicy& who) {
  std::lock_guard guard(lock_);
  return has_entry(who.place_);
}
void OldestFirst::leave(OldestFirstPolicy& who, Place place) {
  if (has_entry(who.place_)) line_.erase(who.entry_);
  who.place_ = place;
}
/// Whoever is to be enqueued, or null. As of those above, the lock is held, but for is_in_line.
OldestFirstPolicy* OldestFirst::grant() {
  if (running_ >= vm_.scheduler->online()) return nullptr;
  auto first = line_.begin();
  while (first != line_.end() && first->who->place_ == Place::granted) ++first;
  if (first == line_.end() || first->who->place_ == Place::queued) return nullptr;
  ++running_;
  first->who->place_ = Place::granted;
  return first->who;
}

bool OldestFirst::admit(OldestFirstPolicy& who, uint64_t oldest) {
  OldestFirstPolicy* next = &who;
  {
    std::lock_guard guard(lock_);
    if (who.place_ != Place::granted) {
      if (who.place_ == Place::queued) oldest = who.entry_.oldest;
      enter(who, oldest, Place::held);
      next = grant();
    }
    if (next == &who) leave(who, Place::running), ++who.runs_;
    note_first();
  }
  if (next && next != &who) vm_.scheduler->enqueue(next->process_);
  return next == &who;
}

void OldestFirst::slice_ended(OldestFirstPolicy& who, bool goes_on, uint64_t oldest) {
  OldestFirstPolicy* next;
  {
    std::lock_guard guard(lock_);
    --running_, --who.runs_;
    if (goes_on)
      enter(who, oldest, Place::queued);
    else if (who.place_ == Place::running && !who.runs_)
      who.place_ = Place::idle;
    next = grant();
    note_first();
  }
  if (next) vm_.scheduler->enqueue(next->process_);
}

/// Nobody sends to it any more, though some may be about to.
void OldestFirst::end(OldestFirstPolicy& who) {
  std::lock_guard guard(lock_);
  leave(who, Place::gone);
  note_first();
}

uint64_t OldestFirst::stamp_for(OldestFirstPolicy& receiver) {
  std::lock_guard guard(lock_);
  const uint64_t number = stamp();
  if (receiver.place_ == Place::idle) {
    enter(receiver, number, Place::queued);
    note_first();
  }
  return number;
}

// --- one process --------------------------------------------------------------------------------
OldestFirstPolicy::OldestFirstPolicy(Process& p, uint32_t bound, OldestFirst& all)
    : all_(all), process_(p), bound_(bound) {
  p.counts_messages = true;
}

static uint64_t stamp_of(const Signal& s) {
  return s.kind == SignalKind::message && s.request == Request::none ? s.ref : 0;
}

/// What has come in stands newest first, and nobody but the owner takes it out.
static uint64_t oldest_in_inbox(const Process& p) {
  uint64_t oldest = 0;
  Signal* s = p.inbox.load(std::memory_order_acquire);
  if (s == parked_inbox() || s == closed_inbox()) return 0;
  for (; s; s = s->next) {
    if (const uint64_t stamp = stamp_of(*s)) oldest = stamp;
  }
  return oldest;
}

uint64_t OldestFirstPolicy::oldest_of(const Process& p) {
  uint64_t oldest = 0;
  for (const Signal* s = *p.save; s && !oldest; s = s->next) {
    if (s->counted) oldest = stamp_of(*s);
  }
  const bool passed_over = oldest && oldest == head_ && taken_;
  head_ = oldest;
  if (!oldest) oldest = oldest_in_inbox(p);
  return oldest && !passed_over ? oldest : all_.stamp();
}

Turn OldestFirstPolicy::before_slice(Exec& c, AfterSlice& end, bool may_wait) {
  if (!may_wait) return Turn::runs;
  const uint64_t oldest = all_.is_in_line(*this) ? 0 : oldest_of(*c.p);
  if (!all_.admit(*this, oldest)) return Turn::held;
  taken_ = false;
  call_after_slice(*this, end);
  return Turn::runs;
}

/// Who goes on in a later slice is still this worker's.
void OldestFirstPolicy::after_slice(After how, uint32_t) {
  const bool goes_on = how == After::requeue;
  all_.slice_ended(*this, goes_on, goes_on ? oldest_of(process_) : 0);
}

/// What is left of the slice is not charged.
void OldestFirstPolicy::message_taken(Process& p) {
  taken_ = true;
  if (!p.exec) return;
  const uint64_t first = all_.first_.load(std::memory_order_relaxed);
  if (first == ~uint64_t{0}) return;
  const Signal* s = p.messages;
  while (s && !s->counted) s = s->next;
  const uint64_t next = s ? stamp_of(*s) : all_.stamps_.load(std::memory_order_relaxed);
  Exec& c = *p.exec;
  if (next < first + bound_ || c.fc <= 0) return;
  c.slice -= c.fc;
  c.fc = 0;
}

void OldestFirstPolicy::arrived(Process&, Signal* first) {
  for (Signal* s = first; s; s = s->next) {
    if (s->kind != SignalKind::message) continue;
    s->counted = true;
    if (!s->ref && s->request == Request::none) s->ref = all_.stamp();
  }
}

}  // namespace wb
