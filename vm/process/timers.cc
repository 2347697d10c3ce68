#include "vm/process/timers.h"

#include <algorithm>
#include <utility>

#include "scheduler/scheduler.h"
#include "vm/core/vm.h"
#include "vm/process/native_yield.h"
#include "vm/process/route.h"

namespace wb {

Timers::~Timers() = default;

// --- entries by number ---------------------------------------------------------------------------
Timers::Entries::~Entries() {
  for (size_t k = 0; k < size_of_buckets(); ++k)
    while (Entry* e = buckets_[k]) {
      buckets_[k] = e->chain;
      delete e;
    }
}

void Timers::Entries::grow() {
  const size_t old_size = size_of_buckets(), size = std::max(2 * old_size, kFewest);
  const auto old = std::exchange(buckets_, std::make_unique<Entry*[]>(size));
  mask_ = size - 1;
  for (size_t k = 0; k < old_size; ++k)
    while (Entry* e = old[k]) {
      old[k] = e->chain;
      Entry*& bucket = bucket_of(e->number);
      e->chain = std::exchange(bucket, e);
    }
}

void Timers::Entries::put(std::unique_ptr<Entry> e) {
  if (size_ == size_of_buckets()) grow();
  ++size_;
  Entry*& bucket = bucket_of(e->number);
  e->chain = bucket;
  bucket = e.release();
}

Timers::Entry** Timers::Entries::place_of(uint64_t number) const {
  Entry** at = &bucket_of(number);
  while (*at && (*at)->number != number) at = &(*at)->chain;
  return at;
}

std::unique_ptr<Timers::Entry> Timers::Entries::take(uint64_t number) {
  Entry** at = mask_ ? place_of(number) : nullptr;
  if (!at || !*at) return nullptr;
  --size_;
  std::unique_ptr<Entry> e(*at);
  *at = e->chain;
  return e;
}

// --- what programs do ----------------------------------------------------------------------------
void Timers::start(uint64_t number, Address to, Term message, HeapFragment* fragment,
                   uint64_t deadline_ns, const RawCallSite& maker) {
  auto owned = std::make_unique<Entry>();
  Entry& e = *owned;
  e.timers = this;
  e.number = number;
  e.to = to;
  e.message = message;
  e.fragment = fragment;
  e.deadline_ns = deadline_ns;
  e.maker = maker;
  Shard& s = shard(number);
  std::lock_guard guard(s.lock);  // so that it cannot fire before it is started
  if (to.is_local_pid() && !attach(e)) return;
  s.entries.put(std::move(owned));
  s.message_bytes += message_bytes(e);
  vm_.scheduler->start_timer(e, deadline_ns, fire);
}

size_t Timers::count() const {
  size_t n = 0;
  for (const Shard& s : shards_) {
    std::lock_guard guard(s.lock);
    n += s.entries.size();
  }
  return n;
}

/// An entry, and what the allocator adds to it. Not the table's buckets: they stay
/// when timers go, and whoever compares before and after (OTP's own suite) looks for a leak.
Timers::Bytes Timers::bytes() const {
  constexpr size_t kAllocator = 2 * sizeof(void*);
  Bytes b;
  for (const Shard& s : shards_) {
    std::lock_guard guard(s.lock);
    b.entries += s.entries.size() * (sizeof(Entry) + kAllocator);
    b.messages += s.message_bytes;
  }
  return b;
}
size_t Timers::message_bytes(const Entry& e) {
  size_t n = 0;
  for (const HeapFragment* f = e.fragment; f; f = f->next)
    n += sizeof(HeapFragment) + f->words * sizeof(Term);
  return n;
}

std::unique_ptr<Timers::Entry> Timers::take_entry(uint64_t number) {
  Shard& s = shard(number);
  std::lock_guard guard(s.lock);
  auto e = s.entries.take(number);
  if (!e) return nullptr;
  detach(*e);
  s.message_bytes -= message_bytes(*e);
  return e;
}

/// Into the list of its receiver; false: that has ended.
bool Timers::attach(Entry& e) {
  Receivers& r = receivers(e.to);
  std::lock_guard guard(r.lock);
  Process* p = vm_.processes->find(e.to);
  if (!p) return false;
  p->timed.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (p->exiting.load(std::memory_order_relaxed)) return false;
  Receivers::List& list = r.lists[e.to];
  e.link = &list.first;
  e.next = list.first;
  if (e.next) e.next->link = &e.next;
  list.first = &e;
  ++list.count;
  return true;
}

void Timers::detach(Entry& e) {
  if (!e.to.is_local_pid()) return;
  Receivers& r = receivers(e.to);
  std::lock_guard guard(r.lock);
  if (!e.link) return;
  *e.link = e.next;
  if (e.next) e.next->link = e.link;
  e.link = nullptr;
  auto it = r.lists.find(e.to);
  if (!--it->second.count) r.lists.erase(it);
}

/// The numbers of some timers of a receiver that is gone: nobody attaches any more.
size_t Timers::detach_some(Address who, uint64_t (&numbers)[kSome]) {
  Receivers& r = receivers(who);
  std::lock_guard guard(r.lock);
  auto it = r.lists.find(who);
  if (it == r.lists.end()) return 0;
  Receivers::List& list = it->second;
  size_t n = 0;
  for (; list.first && n < kSome; list.first = list.first->next) {
    list.first->link = nullptr;
    numbers[n++] = list.first->number;
  }
  list.count -= static_cast<uint32_t>(n);
  if (list.first)
    list.first->link = &list.first;
  else
    r.lists.erase(it);
  return n;
}

uint32_t Timers::count_of(Address who) const {
  const Receivers& r = receivers(who);
  std::lock_guard guard(r.lock);
  auto it = r.lists.find(who);
  return it == r.lists.end() ? 0 : it->second.count;
}

void Timers::receiver_gone(Process& p) {
  ExitBudget budget(p, 1);
  uint64_t numbers[kSome];
  while (size_t n = detach_some(p.address(), numbers)) {
    for (size_t i = 0; i < n; ++i) cancel(numbers[i]);
    if (Worker* w = Scheduler::current()) w->counters.timers_orphaned.add(n);
    budget.steps(static_cast<int64_t>(n));
  }
}

void Timers::send(Entry& e) {
  Signal* s = new_signal(SignalKind::message);
  s->term = e.message;
  s->fragment = std::exchange(e.fragment, nullptr);
  route(vm_, e.to, s);
}
void Timers::fire(Worker&, Timer& timer) {
  auto& e = static_cast<Entry&>(timer);
  if (auto owned = e.timers->take_entry(e.number)) e.timers->send(*owned);
}

int64_t Timers::left(const Entry& e) const {
  uint64_t now = vm_.scheduler->now_ns();
  return now < e.deadline_ns ? static_cast<int64_t>((e.deadline_ns - now + 999'999) / 1'000'000)
                             : 0;
}
int64_t Timers::cancel(uint64_t number) {
  auto e = take_entry(number);
  if (!e) return -1;
  int64_t ms = left(*e);
  vm_.scheduler->cancel_timer(*e);
  return ms;
}
int64_t Timers::read(uint64_t number) const {
  const Shard& s = shard(number);
  std::lock_guard guard(s.lock);
  const Entry* e = s.entries.find(number);
  return e ? left(*e) : -1;
}

}  // namespace wb
