#include "vm/trace/system_monitor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gc/fragment.h"
#include "term/lists.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/process/trace_flags.h"
#include "vm/trace/calls.h"
#include "vm/trace/session.h"

namespace wb {

namespace {

constexpr size_t kRoom = 64;  // words of a message

const Settings::Wish* wish_for(const Settings::Watch& w, Term key) {
  for (const Settings::Wish& i : w.wishes) {
    if (i.key == key) return &i;
  }
  return nullptr;
}
/// The least that anybody wants to hear of; 0: nobody does.
uint64_t least_limit(const Settings& s, Term key) {
  uint64_t least = 0;
  for (auto& [session, w] : s.monitors) {
    const Settings::Wish* wish = wish_for(w, key);
    if (wish && (!least || wish->number < least)) least = wish->number;
  }
  return least;
}

uint64_t milliseconds(Vm& vm, uint64_t ticks) {
  EventClock clock = vm.scheduler->event_clock();
  return (clock.to_ns(clock.ticks0 + ticks) - clock.to_ns(clock.ticks0)) / 1'000'000;
}

struct Watcher {
  SessionId session;
  Term who;
};

void notify(Vm& vm, Watcher to, Term message) {
  if (send_message(vm, to.who, message) || to.session != kUsualSession) return;
  std::lock_guard lock(vm.settings->lock);
  auto usual = vm.settings->monitors.find(kUsualSession);
  if (usual == vm.settings->monitors.end() || usual->second.who != to.who) return;
  vm.settings->monitors.erase(usual);
  monitor_changed(vm);
}

/// Notifies those for whom so much is enough.
void notify_monitors(Vm& vm, Term about, Heap& h, Term what, Term details,
                     uint64_t much = UINT64_MAX) {
  std::vector<Watcher> all;
  {
    std::lock_guard lock(vm.settings->lock);
    for (auto& [session, w] : vm.settings->monitors) {
      const Settings::Wish* wish = wish_for(w, what);
      if (wish && much >= wish->number && w.who != about) all.push_back({session, w.who});
    }
  }
  if (all.empty()) return;
  const Term message = tuple(h, am::monitor, about, what, details);
  for (Watcher to : all) notify(vm, to, message);
}

void add(Heap& h, ListBuilder& list, Term key, uint64_t value) {
  list.add(tuple(h, key, make_unsigned(h, value)));
}
void add_sizes(Heap& h, ListBuilder& list, const ProcessHeap& heap) {
  add(h, list, am::old_heap_block_size, heap.old_words());
  add(h, list, am::heap_block_size, heap.young_words());
  add(h, list, am::mbuf_size, heap.fragment_words());
  add(h, list, am::stack_size, heap.stack_words());
  add(h, list, am::old_heap_size, heap.old_used_words());
  add(h, list, am::heap_size, heap.used_words());
}

}  // namespace

void monitor_changed(Vm& vm) {
  const Settings& s = *vm.settings;
  MonitorLimits& limits = vm.settings->limits;
  limits.long_gc_ms = least_limit(s, am::long_gc);
  limits.large_heap_words = least_limit(s, am::large_heap);
  limits.long_schedule_ms = least_limit(s, am::long_schedule);
  limits.long_queue = static_cast<uint32_t>(least_limit(s, am::long_message_queue));
  limits.busy_port = least_limit(s, am::busy_port) != 0;
  limits.collections = limits.long_gc_ms || limits.large_heap_words || limits.collection_sleep_ms;
  vm.host->watch(ProcessHost::kMonitor, limits.long_schedule_ms != 0);
}

void monitor_collection(Process& p, uint64_t ticks) {
  MonitorLimits& limits = p.vm().settings->limits;
  if (uint64_t least = limits.long_gc_ms) {
    if (uint64_t ms = milliseconds(p.vm(), ticks); ms >= least) {
      FragmentHeap h(kRoom);
      ListBuilder list(h);
      add(h, list, am::timeout, ms);
      add_sizes(h, list, p.heap);
      notify_monitors(p.vm(), p.id, h, am::long_gc, list.finish(), ms);
    }
  }
  const uint64_t least = limits.large_heap_words;
  const size_t words = p.heap.young_words() + p.heap.old_words();
  if (!least || words < least) return;
  FragmentHeap h(kRoom);
  ListBuilder list(h);
  add_sizes(h, list, p.heap);
  notify_monitors(p.vm(), p.id, h, am::large_heap, list.finish(), words);
}

void monitor_queue(Process& p) {
  Vm& vm = p.vm();
  const uint64_t length = p.message_count;
  std::vector<uint32_t> now;  // the sessions it is long for
  std::vector<std::pair<Watcher, bool>> changes;
  {
    const std::vector<uint32_t>& before = p.rare().long_queue_for;
    std::lock_guard lock(vm.settings->lock);
    for (auto& [session, w] : vm.settings->monitors) {
      const Settings::Wish* wish = wish_for(w, am::long_message_queue);
      if (!wish || w.who == p.id) continue;
      const bool was = std::ranges::find(before, session) != before.end();
      const bool is = was ? length > wish->until : length >= wish->number;
      if (is) now.push_back(session);
      if (is != was) changes.push_back({{session, w.who}, is});
    }
  }
  if (now.empty() != p.extra->rare->long_queue_for.empty())
    vm.hooks->mark(p, traced::long_queue, !now.empty());
  p.extra->rare->long_queue_for = std::move(now);
  for (auto& [to, is_long] : changes) {
    FragmentHeap h(kRoom);
    notify(vm, to, tuple(h, am::monitor, p.id, am::long_message_queue, make_bool(is_long)));
  }
}

void monitor_slice(Process& p, const Word* from, uint64_t ticks) {
  uint64_t least = p.vm().settings->limits.long_schedule_ms;
  if (!least) return;
  uint64_t ms = milliseconds(p.vm(), ticks);
  if (ms < least) return;
  FragmentHeap h(kRoom);
  ListBuilder list(h);
  add(h, list, am::timeout, ms);
  list.add(tuple(h, am::in, function_at(p.vm(), h, from, am::undefined)));
  list.add(tuple(h, am::out,
                 p.exiting ? am::undefined : function_at(p.vm(), h, p.resume, am::undefined)));
  notify_monitors(p.vm(), p.id, h, am::long_schedule, list.finish(), ms);
}

void monitor_port_task(Vm& vm, Term port, std::string_view task, uint64_t ns) {
  const uint64_t least = vm.settings->limits.long_schedule_ms, ms = ns / 1'000'000;
  if (!least || ms < least) return;
  FragmentHeap h(kRoom);
  ListBuilder list(h);
  add(h, list, am::timeout, ms);
  list.add(tuple(h, intern("port_op"), intern(task)));
  notify_monitors(vm, port, h, am::long_schedule, list.finish(), ms);
}

/// Rare enough to look at the wishes themselves.
void monitor_busy_dist_port(Process& p, Term controller) {
  FragmentHeap h(kRoom);
  notify_monitors(p.vm(), p.id, h, am::busy_dist_port, controller);
}

void monitor_busy_port(Process& p, Term port) {
  if (!p.vm().settings->limits.busy_port) return;
  FragmentHeap h(kRoom);
  notify_monitors(p.vm(), p.id, h, am::busy_port, port);
}

}  // namespace wb
