#include "vm/process/timers.h"

#include <utility>

#include "scheduler/scheduler.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/vm.h"

namespace wb {

Timers::~Timers() = default;

void Timers::start(uint64_t number, Term to, Term message, HeapFragment* fragment,
                   uint64_t deadline_ns) {
  auto owned = std::make_unique<Entry>();
  Entry& e = *owned;
  e.timers = this;
  e.number = number;
  e.to = to;
  e.message = message;
  e.fragment = fragment;
  e.deadline_ns = deadline_ns;
  Shard& s = shard(number);
  std::lock_guard guard(s.lock);  // so that it cannot fire before it is started
  s.entries.emplace(number, std::move(owned));
  vm_.scheduler->start_timer(e, deadline_ns, fire);
}

std::unique_ptr<Timers::Entry> Timers::take(uint64_t number) {
  Shard& s = shard(number);
  std::lock_guard guard(s.lock);
  auto node = s.entries.extract(number);
  return node ? std::move(node.mapped()) : nullptr;
}

void Timers::send(Entry& e) {
  Term pid = is_atom(e.to) ? vm_.processes->whereis(e.to) : e.to;
  if (!is_local_pid(pid)) return;
  Signal* s = new_signal(SignalKind::message);
  s->term = e.message;
  s->fragment = std::exchange(e.fragment, nullptr);
  push_signal(vm_, pid, s);
}
void Timers::fire(Worker&, Timer& timer) {
  auto& e = static_cast<Entry&>(timer);
  if (auto owned = e.timers->take(e.number)) e.timers->send(*owned);
}

int64_t Timers::left(const Entry& e) const {
  uint64_t now = vm_.scheduler->now_ns();
  return now < e.deadline_ns ? static_cast<int64_t>((e.deadline_ns - now + 999'999) / 1'000'000)
                             : 0;
}
int64_t Timers::cancel(uint64_t number) {
  auto e = take(number);
  if (!e) return -1;
  int64_t ms = left(*e);
  vm_.scheduler->cancel_timer(*e);
  return ms;
}
int64_t Timers::read(uint64_t number) const {
  const Shard& s = shard(number);
  std::lock_guard guard(s.lock);
  auto it = s.entries.find(number);
  return it == s.entries.end() ? -1 : left(*it->second);
}

}  // namespace wb
