// erlang:system_info/1: limits, counts, defaults. What is asked of the machine: machine_info.cc;
// of memory: memory.cc.
#include "vm/bif/system_info.h"

#include <unistd.h>

#include <algorithm>

#include "gc/heap_sizes.h"
#include "scheduler/cpu_count.h"
#include "term/binary.h"
#include "term/identifiers.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/bif/processors.h"
#include "vm/core/clock.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/ets/tables.h"
#include "vm/nif/loaded.h"
#include "vm/port/ports.h"
#include "vm/process/options.h"
#include "vm/process/sequential.h"
#include "vm/process/table.h"
#include "vm/process/time_watchers.h"

namespace wb {
namespace {

Term heap_default(Vm& vm, Term item) {
  const HeapDefaults& d = vm.settings->heap;
  if (item == am::fullsweep_after) return make_small(d.fullsweep_after);
  if (item == am::min_bin_vheap_size) return make_small(d.min_bin_vheap_size);
  return make_small(std::max(d.min_heap_size.load(), kMinHeapSize));
}
Term default_max_heap(Vm& vm, Heap& h) {
  const HeapDefaults& d = vm.settings->heap;
  return max_heap_map(h, {d.max_heap_size, d.max_heap_kill, d.max_heap_log, d.max_heap_shared});
}

Term garbage_collection(Vm& vm, Heap& h) {
  ListBuilder list(h);
  list.add(tuple(h, am::max_heap_size, make_small(vm.settings->heap.max_heap_size)));
  for (Term item : {am::min_bin_vheap_size, am::min_heap_size, am::fullsweep_after})
    list.add(tuple(h, item, heap_default(vm, item)));
  return list.finish();
}

Term all_heap_sizes(Heap& h) {
  ListBuilder list(h);
  for (size_t i = 0; i < kHeapSizes; ++i) list.add(make_unsigned(h, heap_sizes()[i]));
  return list.finish();
}

/// Which of the machine's atomic operations are native.
Term ethread_info(Heap& h) {
  ListBuilder list(h);
  auto text = [&h](const char* s) {
    return bytes_to_list(h, reinterpret_cast<const uint8_t*>(s), strlen(s));
  };
  for (const char* name : {"32-bit native atomics", "64-bit native atomics"}) {
    list.add(tuple(h, text(name), text("std::atomic"), kNil));
  }
  list.add(tuple(h, text("Double word native atomics"), text("no"), kNil));
  return list.finish();
}

/// [{Node, Controller}]
Term controllers(Vm& vm, Heap& h) {
  ListBuilder list(h);
  for (auto& c : vm.ports->distribution->all_up()) list.add(tuple(h, c->node, c->controller()));
  return list.finish();
}

/// Seconds.
Term node_delay(const NodeTable& nodes) {
  const uint64_t ns = nodes.delay();
  if (ns == NodeTable::kForEver) return am::infinity;
  return make_small(static_cast<int64_t>(ns / 1'000'000'000));
}

/// {Total, Online, Active}
Term schedulers_state(Vm& vm, Heap& h) {
  Scheduler& s = *vm.scheduler;
  Term online = make_small(vm.settings->multi_scheduling.online(s));
  return tuple(h, make_small(s.worker_count()), online, make_small(s.online()));
}
/// [{Kind, Total, Online, Active}]
Term all_schedulers_state(Vm& vm, Heap& h) {
  const Term* e = tuple_elements(schedulers_state(vm, h));
  ListBuilder list(h);
  list.add(tuple(h, am::normal, e[0], e[1], e[2]));
  for (DirtyKind kind : {DirtyKind::cpu, DirtyKind::io}) {
    DirtyPool& pool = vm.scheduler->dirty(kind);
    Term all = make_small(pool.limit()), online = make_small(pool.online());
    bool alone = vm.settings->multi_scheduling.alone();
    Term active = alone ? make_small(pool.use().running) : online;
    list.add(tuple(h, kind == DirtyKind::cpu ? am::dirty_cpu : am::dirty_io, all, online, active));
  }
  return list.finish();
}

/// Items that build something.
Term large_item(Process& p, Term item) {
  Vm& vm = p.vm();
  Heap& h = p.heap;
  switch (item) {
    case am::taints:
      return tainted_modules(p.vm(), h);
    case am::fullsweep_after:
    case am::min_heap_size:
    case am::min_bin_vheap_size:
      return tuple(h, item, heap_default(vm, item));
    case am::max_heap_size:
      return default_max_heap(vm, h);
    case am::garbage_collection:
      return garbage_collection(vm, h);
    case am::heap_sizes:
      return all_heap_sizes(h);
    case am::cpu_topology:
      return cpu_topology(p, am::used);
    case am::multi_scheduling_blockers:
      return vm.settings->multi_scheduling.blockers(h, MultiScheduling::all);
    case am::normal_multi_scheduling_blockers:
      return vm.settings->multi_scheduling.blockers(h, MultiScheduling::normal);
    case am::schedulers_state:
      return schedulers_state(vm, h);
    case am::all_schedulers_state:
      return all_schedulers_state(vm, h);
    case am::beam_jump_table:  // from one instruction straight to the next
      return am::true_;
    case am::ethread_used_tse:  // what threads sleep on
      return make_small(vm.scheduler->all_worker_count() +
                        vm.scheduler->dirty(DirtyKind::cpu).limit() +
                        vm.scheduler->dirty(DirtyKind::io).limit());
    case am::ethread_info:
      return ethread_info(h);
    case am::dist_ctrl:
      return controllers(vm, h);
    case am::scheduler_bindings:
      return scheduler_bindings(vm, h);
    case am::sequential_tracer:
      return tuple(h, item, sequential_tracer_term(vm, h, seq_tracer(vm)));
    case am::start_time:
      return make_integer(h, Clock::kStart);
    case am::end_time:
      return make_integer(h, Clock::kEnd);
    case am::allocator:
      return allocator_settings(h);
    case am::alloc_util_allocators:
      return allocator_kinds(h);
    case am::allocated_areas:
      return allocated_areas(vm, h);
    case am::scheduler_id: {
      Worker* w = Scheduler::current();
      return make_small(w ? w->index() + 1 : 1);
    }
    default:
      return machine_info(p, item);
  }
}

/// {Key, Argument} and {memory_internal, Ref, Allocators}.
Term tuple_item(Process& p, Term item) {
  const Term* t = tuple_elements(item);
  if (is_tuple_of(item, 3)) {
    if (t[0] != am::memory_internal || !is_local_ref(t[1]) || !is_list(t[2])) return kBadarg;
    send_memory_use(p, t[1], t[2]);
    return am::true_;
  }
  if (!is_tuple_of(item, 2)) return kBadarg;
  if (t[0] == am::wordsize) {
    return t[1] == am::internal || t[1] == am::external ? make_small(8) : kBadarg;
  }
  if (t[0] == am::cpu_topology) {
    return cpu_topology(p, t[1]);
  }
  if (t[0] == intern("internal_cpu_topology")) return internal_cpu_topology(p, t[1]);
  if (t[0] == am::allocator || t[0] == am::allocator_sizes) {
    return allocator_information(p, t[1], t[0] == am::allocator_sizes);
  }
  return kBadarg;
}

}  // namespace

Term system_info_item(Vm& vm, Term item) {
  Scheduler& s = *vm.scheduler;
  switch (item) {
    // --- schedulers, processors ---
    case am::schedulers:
    case am::run_queues:
      return make_small(s.worker_count());
    case am::schedulers_online:
    case am::schedulers_active:
      return make_small(vm.settings->multi_scheduling.online(s));
    case am::dirty_cpu_schedulers:
      return make_small(s.dirty(DirtyKind::cpu).limit());
    case am::dirty_cpu_schedulers_online:
      return make_small(s.dirty(DirtyKind::cpu).online());
    case am::dirty_io_schedulers:
      return make_small(s.dirty(DirtyKind::io).limit());
    case am::thread_pool_size:
      return make_small(vm.settings->async_threads);
    case am::logical_processors:
      return make_small(sysconf(_SC_NPROCESSORS_CONF));
    case am::logical_processors_online:
      return make_small(sysconf(_SC_NPROCESSORS_ONLN));
    case am::logical_processors_available:
      return make_small(vm.settings->allowed_cpus.load());
    case am::cpu_quota: {
      uint32_t quota = vm.settings->cpu_quota.load();
      if (quota == Settings::kNotAsked) vm.settings->cpu_quota.store(quota = cpu_quota());
      return quota ? make_small(quota) : am::unknown;
    }
    case am::scheduler_bind_type:
      return scheduler_bind_type(vm);
    case am::multi_scheduling:
      return vm.settings->multi_scheduling.state(s);
    case am::update_cpu_info: {
      uint32_t allowed = allowed_cpus(), quota = cpu_quota();
      bool same = vm.settings->allowed_cpus.exchange(allowed) == allowed;
      uint32_t before = vm.settings->cpu_quota.exchange(quota);
      same &= before == quota || before == Settings::kNotAsked;
      return same ? am::unchanged : am::changed;
    }
    // --- counts and limits ---
    case am::process_count:
      return make_small(vm.processes->count());
    case am::process_limit:
      return make_small(vm.processes->limit());
    case am::atom_count:
      return make_small(atom_count());
    case am::atom_limit:
      return make_small(atom_limit());
    case am::ets_count:
      return make_small(static_cast<int64_t>(vm.ets->count()));
    case am::ets_limit:
      return make_small(vm.settings->ets_limit);
    case am::port_count:
      return make_small(static_cast<int64_t>(vm.ports->count()));
    case am::port_limit:
      return make_small(static_cast<int64_t>(vm.ports->limit()));
    case am::context_reductions:
      return make_small(Scheduler::Options{}.slice_reductions);
    case am::outstanding_system_requests_limit:
      return make_small(vm.settings->outstanding_requests.load());
    case am::dist_buf_busy_limit:
      return make_small(static_cast<int64_t>(vm.ports->distribution->busy_limit.load()));
    case am::delayed_node_table_gc:
      return node_delay(vm.instance.nodes);
    // --- time ---
    case am::time_correction:
      return make_bool(vm.settings->time_correction);
    case am::time_offset:
      return time_offset_state(vm);
    case am::time_warp_mode:
      return time_warp_mode(vm);
    case am::tolerant_timeofday:
      return time_warp_mode(vm) == am::no_time_warp ? am::enabled : am::disabled;
    // --- processes ---
    case am::heap_type:
      return am::private_;
    case am::message_queue_data:
      return vm.settings->heap.off_heap_messages ? am::off_heap : am::on_heap;
    case am::constant_pool_support:
    case am::kernel_poll:
    case am::smp_support:
    case am::threads:
      return am::true_;
    case am::system_logger:
      return vm.settings->system_logger.load();
    // --- tracing ---
    case am::trace_control_word:
      return make_small(vm.settings->trace_control_word.load());
    case am::dynamic_trace:
      return am::none;
    // --- what this machine does not do ---
    case am::debug_compiled:
    case am::dynamic_trace_probes:
    case am::ets_always_compress:
    case am::ets_realloc_moves:
    case am::lock_checking:
    case am::port_parallelism:
      return am::false_;
    case am::eager_check_io:
      return am::true_;
    case am::hipe_architecture:
    case am::modified_timing_level:
      return am::undefined;
    // --- the rest ---
    case am::break_ignored:
      return make_bool(vm.settings->break_ignored);
    case am::compat_rel:
      return make_small(vm.options.otp.number);
    case am::async_dist:
      return otp_release() < 26 ? kNone : am::false_;
    case am::halt_flush_timeout:
      return otp_release() < 27 ? kNone : am::infinity;
    case am::creation:
      return make_small(local_node().creation);
    case am::wordsize:
      return make_small(8);
    default:
      return kNone;
  }
}

BIF(erlang, system_info, 1)
{
  if (is_tuple(a[0])) return tuple_item(p, a[0]);
  if (!is_atom(a[0])) return kBadarg;
  Term small = system_info_item(p.vm(), a[0]);
  if (small != kNone) return small;
  Term large = large_item(p, a[0]);
  return large == kNone ? kBadarg : large;
}

}  // namespace wb
