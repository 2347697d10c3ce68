#include "vm/trace/system_monitor.h"

#include "gc/fragment.h"
#include "term/lists.h"
#include "term/number.h"
#include "vm/core/vm.h"
#include "vm/process/run.h"
#include "vm/process/send.h"
#include "vm/trace/calls.h"

namespace wb {

namespace {

constexpr size_t kRoom = 64;  // words of a message

/// A time or a size that is watched for; 0: it is not.
uint64_t limit_of(const Settings::Watch& w, Term key) {
  for (const Settings::Wish& i : w.wishes) {
    if (i.key == key) return i.number;
  }
  return 0;
}

uint64_t milliseconds(Vm& vm, uint64_t ticks) {
  EventClock clock = vm.scheduler->event_clock();
  return (clock.to_ns(clock.ticks0 + ticks) - clock.to_ns(clock.ticks0)) / 1'000'000;
}

void notify_monitor(Vm& vm, Term about, Heap& h, Term what, Term details) {
  Settings& settings = *vm.settings;
  std::unique_lock lock(settings.lock);
  Term who = settings.monitor.who;
  lock.unlock();
  if (who == kNone || who == about) return;
  if (send_message(vm, who, tuple(h, am::monitor, about, what, details))) return;
  lock.lock();
  if (settings.monitor.who != who) return;
  settings.monitor = {};
  monitor_changed(vm);
}
void notify_monitor(Process& p, Heap& h, Term what, Term details) {
  notify_monitor(p.vm(), p.id, h, what, details);
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
  const Settings::Watch& w = vm.settings->monitor;
  MonitorLimits& limits = vm.settings->limits;
  limits.long_gc_ms = limit_of(w, am::long_gc);
  limits.large_heap_words = limit_of(w, am::large_heap);
  limits.long_schedule_ms = limit_of(w, am::long_schedule);
  limits.busy_port = limit_of(w, am::busy_port) != 0;
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
      notify_monitor(p, h, am::long_gc, list.finish());
    }
  }
  uint64_t least = limits.large_heap_words;
  if (!least || p.heap.young_words() + p.heap.old_words() < least) return;
  FragmentHeap h(kRoom);
  ListBuilder list(h);
  add_sizes(h, list, p.heap);
  notify_monitor(p, h, am::large_heap, list.finish());
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
  notify_monitor(p, h, am::long_schedule, list.finish());
}

void monitor_port_task(Vm& vm, Term port, std::string_view task, uint64_t ns) {
  const uint64_t least = vm.settings->limits.long_schedule_ms, ms = ns / 1'000'000;
  if (!least || ms < least) return;
  FragmentHeap h(kRoom);
  ListBuilder list(h);
  add(h, list, am::timeout, ms);
  list.add(tuple(h, intern("port_op"), intern(task)));
  notify_monitor(vm, port, h, am::long_schedule, list.finish());
}

/// Rare enough to look at the wishes themselves.
void monitor_busy_dist_port(Process& p, Term controller) {
  Settings& settings = *p.vm().settings;
  {
    std::lock_guard lock(settings.lock);
    if (!limit_of(settings.monitor, am::busy_dist_port)) return;
  }
  FragmentHeap h(kRoom);
  notify_monitor(p, h, am::busy_dist_port, controller);
}

void monitor_busy_port(Process& p, Term port) {
  if (!p.vm().settings->limits.busy_port) return;
  FragmentHeap h(kRoom);
  notify_monitor(p, h, am::busy_port, port);
}

}  // namespace wb
