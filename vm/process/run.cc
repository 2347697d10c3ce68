// Running processes.
//
// A slice: restore the X registers, handle the signals that came in, then run from `resume` until
// the reductions are used up, the process waits, or it ends. The interpreter says how it ended
// (Exec::after) and has saved what is live.
//
// A parked process is one whose inbox word is kParked; whoever pushes a signal enqueues it. So
// parking is the last thing a slice does with a process: from then on another worker may own it.
#include "vm/process/run.h"
#include "vm/process/handle_signals.h"

#include <algorithm>
#include <cstdlib>

#include "base/allocator.h"
#include "base/out_of_memory.h"
#include "gc/block_pool.h"
#include "loader/code.h"
#include "loader/code_table.h"
#include "term/copy.h"
#include "term/releasing_literals.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/event_log.h"
#include "vm/process/exec.h"
#include "vm/process/exit.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/heap_summary.h"
#include "vm/process/literal_collector.h"
#include "vm/process/native_yield.h"
#include "vm/process/policies.h"
#include "vm/process/profiled.h"
#include "vm/process/relations.h"
#include "vm/process/slices.h"
#include "vm/process/spawn.h"
#include "vm/process/table.h"
#include "vm/process/wait_times.h"

namespace wb {

/// A heap that outgrows the control block starts at this size; process_info says 233 all the same.
constexpr uint32_t kSmallestHeap = 51;

// --- spawn ---------------------------------------------------------------------------------------
/// `words`: what they take.
static void copy_arguments(Process& p, Term args, uint32_t arity, size_t words) {
  Term* x = p.room_for_registers(arity);
  p.live = static_cast<uint16_t>(arity);
  Term* hp = p.heap.alloc(words);
  for (Term l = args; is_cons(l); l = tail(l)) *x++ = copy_term_to(head(l), &hp, p.heap);
}

/// The block's own words if the arguments and a first frame fit and nothing else was asked for.
static void make_heap(Process& p, const SpawnOptions& o, size_t argument_words) {
  size_t need = argument_words + 2 * ProcessHeap::kStackSlack + 4;
  p.heap.min_heap_words = o.min_heap_size ? o.min_heap_size : kSmallestHeap;
  p.heap.min_bin_vheap_words = o.min_bin_vheap_size;
  p.heap.fullsweep_after = static_cast<uint16_t>(o.fullsweep_after);
  if (!o.min_heap_size && need <= Process::inline_words()) {
    p.heap.init_inline(p.inline_heap(), Process::inline_words());
  } else {
    p.heap.init(heap_size_at_least(std::max<size_t>(o.min_heap_size, need)));
    p.heap_words = summarize_heap(p);
  }
}
static bool wants_rare_parts(const SpawnOptions& o) {
  return o.max_heap_size || !o.max_heap_kill || !o.max_heap_log || o.max_heap_shared ||
         o.mailbox_limit || o.async_dist;
}

/// It, or the group of its parent.
static bool wants_policies(const Process* parent, const SpawnOptions& o) {
  return o.group || o.policy.kind != PolicyKind::usual || (parent && parent->special);
}

Term spawn_process(Vm& vm, Process* parent, Term module, Term function, Term args,
                   const SpawnOptions& options) {
  Process* p = Process::make();
  if (!p) return kSystemLimit;
  p->vm_ = &vm;
  uint32_t arity = 0;
  size_t argument_words = 0;
  for (Term l = args; is_cons(l); l = tail(l)) ++arity, argument_words += flat_size(head(l));
  p->initial_call = vm.code->export_entry(module, function, arity);
  make_heap(*p, options, argument_words);
  Term* stack = p->heap.stack_base();
  *--stack = reinterpret_cast<Term>(vm.code->process_end);
  p->heap.set_stack(stack);
  copy_arguments(*p, args, arity, argument_words);
  // The code of the moment when it begins; of apply the stub is the code, which may be traced.
  p->resume = p->initial_call->builtin ? p->initial_call->entry.load(std::memory_order_acquire)
                                       : p->initial_call->stub_entry();
  p->priority = static_cast<uint8_t>(options.priority);
  p->off_heap_messages = options.off_heap_messages;
  p->group_leader = parent ? parent->group_leader.get() : vm.io_leader;
  group_leader_of(*p).retain();
  p->system = options.system;
  if (options.scheduler) p->pinned = 1, p->home = static_cast<uint16_t>(options.scheduler - 1);
  p->parent = parent ? parent->id : am::undefined;
  if (wants_rare_parts(options)) {
    RareParts& rare = p->rare();
    rare.max_heap_size = options.max_heap_size;
    rare.max_heap_kill = options.max_heap_kill, rare.max_heap_log = options.max_heap_log;
    rare.max_heap_shared = options.max_heap_shared;
    rare.async_dist = options.async_dist;
    if (options.mailbox_limit) {
      rare.mailbox = std::make_unique<BoundedMailbox>(options.mailbox_limit, options.when_full);
      p->counts_messages = true;
    }
  }
  if (WB_UNLIKELY(wants_policies(parent, options)) &&
      !give_policies(*p, parent, options, *vm.host->policies)) {
    Process::destroy(p);
    return kSystemLimit;
  }
  if (!vm.processes->add(*p)) {
    if (p->special & kHasPolicies) tell_policies(*p, &Policy::gone);
    Process::destroy(p);
    return kSystemLimit;
  }
  Term pid = p->id;
  if (WB_UNLIKELY(p->special)) tell_policies(*p, &Policy::joins);
  if (is_fault(p->group_leader)) p->group_leader = pid;
  if (parent && options.link) {
    parent->relations().links.try_emplace(p->address(), 0);
    if (options.priority_link) parent->relations().priority_links[p->address()] = true;
    p->relations().links.try_emplace(parent->address(), 0);
  }
  if (parent && options.monitor)
    p->relations().watchers[options.monitor] = {parent->address(), kNil};
  if (options.witness) options.witness->added(*p);
  if (WB_UNLIKELY(vm.traces_new.load(std::memory_order_relaxed) ||
                  (parent &&
                   parent->trace_flags.load(std::memory_order_relaxed) & ~traced::has_policies))) {
    vm.hooks->trace_spawn(parent, *p, module, function, args, options.link);
  }
  if (options.witness) options.witness->traced(*p);
  if (Worker* w = Scheduler::current()) {
    if (!p->pinned) p->home = static_cast<uint16_t>(w->index());
    w->counters.spawns.add(1);
    w->note(EventKind::spawn, event_label(pid));
  }
  if (options.asleep) p->state.store(ProcessState::waiting, std::memory_order_relaxed);
  if (options.asleep && park(*p)) return pid;
  if (WB_UNLIKELY(is_profiled(vm))) vm.hooks->process_active(*p);
  vm.scheduler->enqueue(*p);
  return pid;
}

// --- leaving the interpreter ---------------------------------------------------------------------
static void save_registers(Exec& c, uint32_t live) {
  Process& p = *c.p;
  std::copy(c.x, c.x + live, p.room_for_registers(live));
  p.live = static_cast<uint16_t>(live);
}
const Word* leave_yielding(Exec& c, const Word* resume, uint32_t live) {
  c.p->resume = resume;
  save_registers(c, live);
  c.after = After::requeue;
  return c.vm->code->leave;
}
const Word* leave_waiting(Exec& c, const Word* resume) {
  c.p->resume = resume;
  c.p->live = 0;
  c.p->free_registers();  // an idle process keeps nothing it does not need
  c.after = After::parked;
  return c.vm->code->leave;
}
const Word* leave_dead(Exec& c) {
  c.after = After::gone;
  return c.vm->code->leave;
}
const Word* leave_dying(Exec& c) {
  exit_process(c, am::killed);
  return leave_dead(c);
}

// --- a slice -------------------------------------------------------------------------------------
static void count_reductions(Worker& w, const Exec& c) {
  w.reductions_used = static_cast<int32_t>(c.slice - c.fc);
}

static void finish(Vm& vm, Worker& w, Process& p) {
  count_reductions(w, *static_cast<Exec*>(w.context));
  if (WB_UNLIKELY(p.special & kHasPolicies)) tell_policies(p, &Policy::gone);
  p.heap.destroy();  // only now: the interpreter has let go of its registers
  w.counters.exits.add(1);
  vm.scheduler->retire(&p, [](void* q) { Process::destroy(static_cast<Process*>(q)); });
}

/// May the process run on, signals being handled?
static bool ready(const Process& p) {
  return p.waiting_for == WaitFor::nothing && p.suspend_count == 0;
}

/// The collection asked for by a signal or by itself, before anything else happens.
static bool collect_parked(Exec& c) {
  Process& p = *c.p;
  std::copy(p.saved_x, p.saved_x + p.live, c.x);
  if (!collect_requested(c, p.live)) {
    leave_dying(c);
    return false;
  }
  std::copy(c.x, c.x + p.live, p.saved_x);
  return true;
}

/// A slice of a process whose native code has yielded: signals as always, then back to its stack.
After ProcessHost::run_yielded(Worker& w, Process& p) {
  auto& c = *static_cast<Exec*>(w.context);
  YieldedCall& call = *p.extra->yielded_call;
  if (call.worker != &w) {  // it was undedicated meanwhile
    p.pinned = 1;
    p.home = static_cast<uint16_t>(call.worker->index());
    vm_.scheduler->enqueue(p);
    return After::parked;
  }
  p.exec = &c;
  if (call.collecting) {
    c.fibers->resume_call(call);
    return After::yielded_native;
  }
  while (!p.exiting && handle_signals(c) && !ready(p)) {
    p.state.store(p.suspend_count ? ProcessState::suspended : ProcessState::waiting,
                  std::memory_order_relaxed);
    p.exec = nullptr;
    if (park_and_notify(p)) return After::parked;
    p.state.store(ProcessState::running, std::memory_order_relaxed);
    p.exec = &c;
  }
  if (p.exiting && p.waiting_for == WaitFor::work && !withdraw_work(*vm_.scheduler, call)) {
    // Who works for it will enqueue it.
    call.pins_code = true;
    vm_.code->pin_code();
    p.waiting_for = WaitFor::nothing;
    return After::parked;
  }
  c.fibers->resume_call(call);
  return After::yielded_native;
}

/// Somebody wants more than a mark of it. The clock alone costs a sixth of a short slice.
WB_COLD void ProcessHost::begin_watched(Worker& w, Process& p) {
  auto& c = *static_cast<Exec*>(w.context);
  c.began_at = p.resume, c.began = w.now_ticks();
  vm_.hooks->slice_begins(c);
  if (vm_.event_log) vm_.event_log->slice_begins(c);
}

bool ProcessHost::mark_slices(SliceMarks::Reader reader, bool wanted) {
  if (wanted && !marks.start(reader, vm_.processes->all_slots())) return false;
  if (!wanted) marks.forget(reader);
  watch(kMarks, marks.on());
  return true;
}

void ProcessHost::report_slice(Exec& c) {
  const uint32_t watchers = watchers_.load(std::memory_order_relaxed);
  c.p->park_notified = watchers & kProfile;
  if (!c.began) return;  // nobody watched yet
  if (watchers & (kMonitor | kProfile))
    vm_.hooks->slice_took(*c.p, c.began_at, c.worker->now_ticks() - c.began);
  if (watchers & kSampler) vm_.hooks->slice_ends(c);
  c.began = 0;
}

/// Of a process with something `special`. How the slice has ended, if it has.
WB_COLD std::optional<After> ProcessHost::begin_unusual(Worker& w, Process& p) {
  auto& c = *static_cast<Exec*>(w.context);
  if (p.special & Process::kMeasured) WaitTimes::end(w, p);
  if (p.special & kHasPolicies) {
    const bool goes_on = p.exiting || (p.in_native_yield() && p.extra->yielded_call->collecting);
    if (ask_policies(c, after_slice(c), !goes_on) == Turn::held) {
      w.reductions_used = 0;
      return After::parked;
    }
  }
  if (p.in_native_yield()) return run_yielded(w, p);
  return std::nullopt;
}

/// The slice of a process ends that waits.
WB_COLD After ProcessHost::end_unusual(Process& p) {
  p.park_notified = false;
  if (p.evict_requested) return After::requeue;  // somebody waits for the answer
  return vm_.hooks->park(p) ? After::parked : After::requeue;
}

AfterSlice* ProcessHost::after_slice() {
  Worker* const w = vm_.scheduler->own_worker();
  return w ? &after_slice(*static_cast<Exec*>(w->context)) : nullptr;
}

WB_INLINE After ProcessHost::run_process(Worker& w, Process& p) {
  auto& c = *static_cast<Exec*>(w.context);
  uint32_t watchers = watchers_.load(std::memory_order_relaxed);
  if (WB_UNLIKELY(watchers & kStandstill)) {
    standstill.wait();
    watchers = watchers_.load(std::memory_order_relaxed) & ~uint32_t{kStandstill};
  }
  p.state.store(ProcessState::running, std::memory_order_relaxed);
  w.label = event_label(p.id);
  c.p = &p;
  c.slice = c.fc = w.slice_reductions;
  c.collections = 0;
  c.native_since = 0;
  c.after_bif &= Exec::kCollect;
  c.after = After::requeue;
  releasing_literals = vm_.literals->releasing();
  c.applied_by = nullptr;
  if (WB_UNLIKELY(watchers)) {
    if (watchers & kMarks) marks.mark(pid_slot(p.id));
    if (watchers & ~uint32_t{kMarks}) begin_watched(w, p);
  }
  if (WB_UNLIKELY(p.special)) {
    if (const auto ended = begin_unusual(w, p)) return *ended;
  }
  p.exec = &c;
  bool waited = p.waiting_for == WaitFor::message;
  trace_begin_of_slice(p);
  for (;;) {
    if (has_signals(p) && !handle_signals(c)) {
      finish(vm_, w, p);
      return After::gone;
    }
    if (WB_UNLIKELY(p.collect_requested || p.evict_requested) && !collect_parked(c)) {
      finish(vm_, w, p);
      return After::gone;
    }
    if (ready(p)) break;
    p.state.store(p.suspend_count ? ProcessState::suspended : ProcessState::waiting,
                  std::memory_order_relaxed);
    trace_end_of_slice(p);
    p.exec = nullptr;
    count_reductions(w, c);
    if (park_and_notify(p)) return After::parked;
    p.state.store(ProcessState::running, std::memory_order_relaxed);
    p.exec = &c;
    trace_begin_of_slice(p);
  }
  std::copy(p.saved_x, p.saved_x + p.live, c.x);
  if (waited && p.timed_out && !*p.save) {
    p.timed_out = false;
    p.resume = p.extra->receive->timer.after;
  }
  p.hibernating = false;
  vm_.hooks->run(p.resume, c);
  if (c.after == After::gone || p.exiting) {
    slice_over(c);
    finish(vm_, w, p);
    return After::gone;
  }
  trace_end_of_slice(p);
  slice_over(c);
  p.reductions += static_cast<uint64_t>(c.slice - c.fc);
  count_reductions(w, c);
  if (c.after == After::requeue) {
    p.state.store(ProcessState::runnable, std::memory_order_release);
    p.exec = nullptr;
    return After::requeue;
  }
  p.state.store(ProcessState::waiting, std::memory_order_release);
  p.exec = nullptr;
  if (WB_UNLIKELY(p.evict_requested || p.park_notified)) return end_unusual(p);
  return park(p) ? After::parked : After::requeue;
}

After ProcessHost::run_slice(Worker& w, Runnable& r) {
  Exec& c = *static_cast<Exec*>(w.context);
  AfterSlice& left = after_slice(c);
  left.begin();
  const After after = run_process(w, static_cast<Process&>(r));
  left.end(after, c.after);
  return after;
}

ProcessHost::ProcessHost(Vm& vm) : vm_(vm), policies(std::make_unique<MachinePolicies>(vm)) {}
ProcessHost::~ProcessHost() = default;

void ProcessHost::use_policy(PolicyChoice choice) {
  policies->usual = choice;
  vm_.settings->heap.changed = true;  // whoever spawns looks
}

void ProcessHost::migrated(Worker&, Runnable& r) { ++static_cast<Process&>(r).migrations; }
void ProcessHost::became_runnable(Worker& w, Runnable& r) {
  WaitTimes::begin(w, static_cast<Process&>(r));
}

void ProcessHost::has_been_idle(Worker&) {
  pool_trim();
  empty_thread_cache();
}
void ProcessHost::falls_asleep(Worker& w) { vm_.hooks->falls_asleep(w); }

void ProcessHost::noted(Worker& w, EventKind kind, uint64_t argument) {
  if (vm_.event_log) vm_.event_log->event(w, kind, argument);
}

void ProcessHost::worker_started(Worker& w) {
  auto* c = static_cast<WorkerContext*>(aligned_alloc(64, (sizeof(WorkerContext) + 63) / 64 * 64));
  new (c) WorkerContext;
  c->vm = &vm_;
  c->worker = &w;
  c->fibers = new Fibers(w);
  c->gc_stress = vm_.gc_stress;
  c->after_bif = vm_.gc_stress ? Exec::kCollect : 0;
  if (w.index() < vm_.scheduler->worker_count()) vm_.settings->cpus.scheduler_started(w.index());
  w.context = static_cast<Exec*>(c);
}
void ProcessHost::worker_stopping(Worker& w) {
  auto* c = static_cast<WorkerContext*>(static_cast<Exec*>(w.context));
  c->fibers->unwind();
  delete c->fibers;
  c->~WorkerContext();
  free(c);
  w.context = nullptr;
}

}  // namespace wb
