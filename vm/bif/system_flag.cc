// erlang:system_flag/2: sets something for the whole machine and answers what it was.
#include <algorithm>

#include "scheduler/scheduler.h"
#include "term/external.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/processors.h"
#include "vm/bif/system_info.h"
#include "vm/core/clock.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/extra.h"
#include "vm/process/options.h"
#include "vm/process/requests.h"
#include "vm/process/sequential.h"
#include "vm/process/time_watchers.h"
#include "vm/process/trace_flags.h"

namespace wb {
namespace {

bool to_bool(Term t, bool* on) {
  *on = t == am::true_;
  return t == am::true_ || t == am::false_;
}
/// A number from `low` to `high`, or -1.
int64_t number_in(Term t, int64_t low, int64_t high) {
  if (!is_small(t) || small_value(t) < low || small_value(t) > high) return -1;
  return small_value(t);
}

/// Counted, as each process may want it as often as it likes and until it ends: by OTP.
Term count_wall_time(Process& p, Term on) {
  void* target = fun_resolver().export_entry(am::kernel_refc, am::scheduler_wall_time, 1);
  return target ? p.trap(static_cast<Export*>(target), {on}) : kUndef;
}

Term set_wall_time(Process& p, bool on) {
  Settings& s = *p.vm().settings;
  bool was = s.scheduler_wall_time.exchange(on);
  if (on && !was) s.wall_time_since.store(p.vm().clock->monotonic_ns());
  return make_bool(was);
}

Term set_backtrace_depth(Settings& s, Term value) {
  int64_t depth = number_in(value, 0, kSmallMax);
  if (depth < 0) return kBadarg;
  depth = std::min<int64_t>(depth, Settings::kMostFrames);
  return make_small(s.backtrace_depth.exchange(static_cast<uint32_t>(depth)));
}

Term set_schedulers_online(Vm& vm, Term value) {
  int64_t n = number_in(value, 1, vm.scheduler->worker_count());
  if (n < 0) return kBadarg;
  auto online = static_cast<uint32_t>(n);
  return make_small(vm.settings->multi_scheduling.set_online(*vm.scheduler, online));
}

/// What its state was.
Term finalize_time_offset(Vm& vm) {
  const Term before = time_offset_state(vm);
  if (vm.clock->finalize()) vm.time_watchers->offset_changed(vm);
  return before;
}

Term set_dirty_online(Vm& vm, Term value) {
  DirtyPool& dirty = vm.scheduler->dirty(DirtyKind::cpu);
  uint32_t most = std::min(dirty.limit(), vm.settings->multi_scheduling.online(*vm.scheduler));
  int64_t n = number_in(value, 1, most);
  return n < 0 ? kBadarg : make_small(dirty.set_online(static_cast<uint32_t>(n)));
}

/// Who blocks goes on when the other schedulers have ended their slices: twice, as one may just
/// have looked whether it takes part.
Term block_multi_scheduling(Process& p, MultiScheduling::Kind kind) {
  MultiScheduling& m = p.vm().settings->multi_scheduling;
  Scheduler& s = *p.vm().scheduler;
  if (s.worker_count() == 1) return am::disabled;
  m.block(s, p.id, kind);
  p.rare().blocks_scheduling = true;
  return await_progress(p, m.state(s), 2);
}
Term unblock_multi_scheduling(Process& p, MultiScheduling::Kind kind) {
  MultiScheduling& m = p.vm().settings->multi_scheduling;
  if (rare_of(p) && rare_of(p)->blocks_scheduling) {
    p.extra->rare->blocks_scheduling = m.unblock(*p.vm().scheduler, p.id, kind);
  }
  return m.state(*p.vm().scheduler);
}
Term set_multi_scheduling(Process& p, Term value) {
  switch (value) {
    case am::block:
      return block_multi_scheduling(p, MultiScheduling::all);
    case am::block_normal:
      return block_multi_scheduling(p, MultiScheduling::normal);
    case am::unblock:
      return unblock_multi_scheduling(p, MultiScheduling::all);
    case am::unblock_normal:
      return unblock_multi_scheduling(p, MultiScheduling::normal);
    default:
      return kBadarg;
  }
}

Term set_microstate_accounting(Vm& vm, Term value) {
  bool on;
  Microstates& states = vm.settings->microstates;
  if (value == am::reset) return make_bool(states.reset(vm));
  if (!to_bool(value, &on)) return kBadarg;
  return make_bool(states.set(vm, on));
}

Term set_logger(Process& p, Term value) {
  bool somebody = is_atom(value) || (is_local_pid(value) && p.vm().is_alive(value));
  if (!somebody || value == am::false_ || value == am::true_) return kBadarg;
  if (is_atom(value) && value != am::undefined && value != am::logger) return kBadarg;
  return p.vm().settings->system_logger.exchange(value);
}

Term set_tracer(Process& p, Term value) {
  Settings& settings = *p.vm().settings;
  Address tracer;
  if (is_tuple_of(value, 2)) {
    const Term* e = tuple_elements(value);
    value = module_tracer(e[0], e[1]);
    if (is_atom(value)) tracer = settings.tracer_modules->address_of(e[0], e[1]);
  }
  const bool is_port = is_local_port(value);
  if (is_port && settings.tracer_modules->is_tracer_port(Address::of_local(value)))
    tracer = Address::of_local(value);
  if (is_local_pid(value) && p.vm().is_alive(value)) tracer = Address::of_local(value);
  if (value != am::false_ && !tracer) return kBadarg;
  seq_tracer(p.vm());  // forgets one that has ended
  return sequential_tracer_term(p.vm(), p.heap, settings.sequential_tracer.exchange(tracer));
}

// --- heaps of processes to come ------------------------------------------------------------------
Term set_number(HeapDefaults& d, std::atomic<uint32_t>& number, uint32_t wanted,
                uint32_t smallest) {
  uint32_t old = number.exchange(wanted);
  d.changed.store(true, std::memory_order_relaxed);
  return make_small(std::max(old, smallest));
}
Term set_heap_default(HeapDefaults& d, Term key, Term value) {
  uint32_t wanted;
  if (key == am::fullsweep_after) {
    if (!to_limit(value, &wanted)) return kBadarg;
    return set_number(d, d.fullsweep_after, std::min<uint32_t>(wanted, UINT16_MAX), 0);
  }
  uint32_t smallest = key == am::min_heap_size ? kMinHeapSize : kMinBinVheapSize;
  if (!to_size(value, smallest, &wanted)) return kBadarg;
  if (key == am::min_bin_vheap_size) return set_number(d, d.min_bin_vheap_size, wanted, smallest);
  return set_number(d, d.min_heap_size, wanted == smallest ? 0 : wanted, smallest);
}
Term set_max_heap(Heap& h, HeapDefaults& d, Term value) {
  MaxHeap max{d.max_heap_size, d.max_heap_kill, d.max_heap_log, d.max_heap_shared};
  Term old = max_heap_map(h, max);
  if (!to_max_heap(value, &max)) return kBadarg;
  d.max_heap_size = max.words, d.max_heap_kill = max.kill, d.max_heap_log = max.log;
  d.max_heap_shared = max.shared;
  d.changed.store(true, std::memory_order_relaxed);
  return old;
}

}  // namespace

BIF(erlang, system_flag, 2)
{
  Vm& vm = p.vm();
  Settings& s = *vm.settings;
  bool on;
  switch (a[0]) {
    case am::backtrace_depth:
      return set_backtrace_depth(s, a[1]);
    case am::schedulers_online:
      return set_schedulers_online(vm, a[1]);
    case am::dirty_cpu_schedulers_online:
      return set_dirty_online(vm, a[1]);
    case am::multi_scheduling:
      return set_multi_scheduling(p, a[1]);
    case am::scheduler_wall_time:
      return to_bool(a[1], &on) ? count_wall_time(p, a[1]) : kBadarg;
    case am::outstanding_system_requests_limit: {
      int64_t n = number_in(a[1], 1, (1 << 27) - 1);
      if (n < 0) return kBadarg;
      return make_small(s.outstanding_requests.exchange(static_cast<uint32_t>(n)));
    }
    case am::microstate_accounting:
      return set_microstate_accounting(p.vm(), a[1]);
    case am::trace_control_word: {
      int64_t word = number_in(a[1], 0, UINT32_MAX);
      if (word < 0) return kBadarg;
      return make_small(s.trace_control_word.exchange(static_cast<uint32_t>(word)));
    }
    case am::time_offset:
      return a[1] == am::finalize ? finalize_time_offset(vm) : p.badarg(am::badopt);
    case am::system_logger:
      return set_logger(p, a[1]);
    case am::reset_seq_trace:
      reset_seq_trace(p.vm());
      return am::true_;
    case am::sequential_tracer:
      return set_tracer(p, a[1]);
    case am::scheduler_bind_type:
      return set_scheduler_bind_type(p, a[1]);
    case am::cpu_topology:
      return set_cpu_topology(p, a[1]);
    case am::fullsweep_after:
    case am::min_heap_size:
    case am::min_bin_vheap_size:
      return set_heap_default(s.heap, a[0], a[1]);
    case am::max_heap_size:
      return set_max_heap(p.heap, s.heap, a[1]);
    default:
      if (a[0] == intern("internal_cpu_topology")) return set_internal_cpu_topology(p, a[1]);
      return p.badarg(am::badopt);
  }
}
/// heart's question: does every scheduler still come to an end of what it does?
BIF(erts_internal, system_check, 1)
{
  return a[0] == am::schedulers ? await_progress(p, am::ok) : kBadarg;
}
BIF(erts_internal, scheduler_wall_time, 1)
{
  bool on;
  return to_bool(a[0], &on) ? set_wall_time(p, on) : kBadarg;
}

}  // namespace wb
