// erlang:statistics/1.
#include <sys/resource.h>

#include "scheduler/metrics.h"
#include "scheduler/scheduler.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/clock.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"

namespace wb {
namespace {

uint64_t sum(Vm& vm, Counter WorkerCounters::* counter) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < vm.scheduler->all_worker_count(); ++i) {
    n += (vm.scheduler->worker(i).counters.*counter).value();
  }
  return n;
}

/// {Total, since the last time it was asked}
template <class N>
Term total_and_new(Heap& h, N total, std::atomic<N>& reported) {
  N before = reported.exchange(total);
  int64_t since = total > before ? static_cast<int64_t>(total - before) : 0;
  return tuple(h, make_integer(h, static_cast<int64_t>(total)), make_integer(h, since));
}

/// Reductions of finished slices and of the caller's own so far.
uint64_t reductions(Process& p) { return sum(p.vm(), &WorkerCounters::reductions) + p.reductions; }

int64_t cpu_ms() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  auto ms = [](const timeval& t) { return t.tv_sec * 1000 + t.tv_usec / 1000; };
  return ms(use.ru_utime) + ms(use.ru_stime);
}
/// A seeded run has no time of its own but the virtual one.
int64_t runtime_ms(Vm& vm) {
  if (!vm.oracle->simulates()) return cpu_ms();
  return (vm.clock->monotonic_ns() - Clock::kStart) / 1'000'000;
}

// --- run queues ----------------------------------------------------------------------------------
uint32_t queue_length(Vm& vm) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < vm.scheduler->all_worker_count(); ++i) {
    n += vm.scheduler->worker(i).queue_length();
  }
  return n;
}
/// One number a scheduler, then one for the dirty CPU schedulers' common queue, then, if `all`, one
/// for the dirty I/O schedulers'. `active`: with what runs now.
Term queue_lengths(Process& p, bool all, bool active) {
  Scheduler& s = *p.vm().scheduler;
  ListBuilder list(p.heap);
  for (uint32_t i = 0; i < s.worker_count(); ++i) {
    uint32_t runs = active && !s.worker(i).asleep();
    list.add(make_small(s.worker(i).queue_length() + runs));
  }
  list.add(make_small(s.dirty(DirtyKind::cpu).waiting()));
  if (all) list.add(make_small(s.dirty(DirtyKind::io).waiting()));
  return list.finish();
}
Term total(Term numbers) {
  int64_t n = 0;
  for (; is_cons(numbers); numbers = tail(numbers)) n += small_value(head(numbers));
  return make_small(n);
}

// --- schedulers' time ----------------------------------------------------------------------------
/// [{Id, Active, All}]: the schedulers, then the dirty ones that compute, then (`with_io`) those
/// that wait for files.
Term wall_times(Process& p, bool with_io) {
  Vm& vm = p.vm();
  Settings& s = *vm.settings;
  Heap& h = p.heap;
  if (!s.scheduler_wall_time.load()) return am::undefined;
  // One moment for all: who was never idle in between has been active all the time, not longer.
  const uint64_t now = vm.clock->os_monotonic_ns();
  const int64_t all = vm.clock->from_oracle(now) - Clock::kStart;
  ListBuilder list(h);
  int64_t id = 0;
  auto add = [&](uint64_t active_ns) {
    int64_t active = std::clamp(static_cast<int64_t>(active_ns), int64_t{0}, all);
    list.add(tuple(h, make_small(++id), make_integer(h, active), make_integer(h, all)));
  };
  Scheduler& scheduler = *vm.scheduler;
  for (uint32_t i = 0; i < scheduler.worker_count(); ++i) {
    add(scheduler.worker(i).active_ns(now));
  }
  for (DirtyKind kind : {DirtyKind::cpu, DirtyKind::io}) {
    if (kind == DirtyKind::io && !with_io) break;
    DirtyPool& pool = scheduler.dirty(kind);
    for (uint32_t i = 0; i < pool.limit(); ++i) add(pool.busy_ns(i, now));
  }
  return list.finish();
}

Term microstates(Process& p) {
  Heap& h = p.heap;
  constexpr Term kNames[] = {am::aux,   am::check_io, am::emulator, am::gc,
                             am::other, am::port,     am::sleep};
  ListBuilder list(h);
  for (const Microstates::Row& row : p.vm().settings->microstates.rows(p.vm())) {
    Term counters[2 * Microstates::count];
    for (size_t i = 0; i < Microstates::count; ++i) {
      counters[2 * i] = kNames[i];
      counters[2 * i + 1] = make_integer(h, row.ns[i]);
    }
    Term fields[] = {am::counters, map_from_pairs(h, counters, Microstates::count),
                     am::id,       make_small(row.id),
                     am::type,     row.type};
    list.add(map_from_pairs(h, fields, 3));
  }
  return list.finish();
}

}  // namespace

BIF(erlang, statistics, 1)
{
  Vm& vm = p.vm();
  Settings& s = *vm.settings;
  switch (a[0]) {
    case am::reductions:
      return total_and_new(p.heap, reductions(p), s.reductions_reported);
    case am::exact_reductions:
      return total_and_new(p.heap, reductions(p), s.exact_reductions_reported);
    case am::runtime:
      return total_and_new(p.heap, runtime_ms(vm), s.runtime_reported);
    case am::wall_clock: {
      int64_t ms = (vm.clock->monotonic_ns() - Clock::kStart) / 1'000'000;
      return total_and_new(p.heap, ms, s.wall_clock_reported);
    }
    case am::context_switches:
      return tuple(p.heap, make_unsigned(p.heap, sum(vm, &WorkerCounters::slices)), make_small(0));
    case am::garbage_collection: {
      uint64_t n = sum(vm, &WorkerCounters::collections),
               words = sum(vm, &WorkerCounters::words_reclaimed);
      return tuple(p.heap, make_unsigned(p.heap, n), make_unsigned(p.heap, words), make_small(0));
    }
    case am::io: {
      Term in = tuple(p.heap, am::input, make_unsigned(p.heap, sum(vm, &WorkerCounters::bytes_in)));
      Term out =
          tuple(p.heap, am::output, make_unsigned(p.heap, sum(vm, &WorkerCounters::bytes_out)));
      return tuple(p.heap, in, out);
    }
    case am::run_queue:
      return make_small(queue_length(vm));
    case am::run_queue_lengths:
      return queue_lengths(p, false, false);
    case am::run_queue_lengths_all:
      return queue_lengths(p, true, false);
    case am::total_run_queue_lengths:
      return total(queue_lengths(p, false, false));
    case am::total_run_queue_lengths_all:
      return total(queue_lengths(p, true, false));
    case am::active_tasks:
      return queue_lengths(p, false, true);
    case am::active_tasks_all:
      return queue_lengths(p, true, true);
    case am::total_active_tasks:
      return total(queue_lengths(p, false, true));
    case am::total_active_tasks_all:
      return total(queue_lengths(p, true, true));
    case am::scheduler_wall_time:
    case am::scheduler_wall_time_all:
      return wall_times(p, a[0] == am::scheduler_wall_time_all);
    case am::microstate_accounting:
      return microstates(p);
    default:
      return kBadarg;
  }
}

}  // namespace wb
