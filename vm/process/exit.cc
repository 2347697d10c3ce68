// The end of a process.
//
// Order: pid, name and tables go first, then the inbox is closed (whoever was too late is
// answered), then whoever is linked or monitors is notified, each with its own copy of the reason:
// who has seen 'DOWN' finds nothing of the process any more. Then its memory goes.
#include "vm/process/exit.h"
#include "scheduler/scheduler.h"
#include "vm/process/handle_signals.h"

#include "term/copy.h"
#include "term/print.h"
#include "term/socket_atoms.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/evict.h"
#include "vm/process/extra.h"
#include "vm/process/native_yield.h"
#include "vm/process/profiled.h"
#include "vm/process/relations.h"
#include "vm/process/requests.h"
#include "vm/process/route.h"
#include "vm/process/saved_calls.h"
#include "vm/process/sequential.h"
#include "vm/process/stack_trace.h"
#include "vm/process/suspensions.h"
#include "vm/process/table.h"
#include "vm/process/timers.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// So many signals and messages take longer than a slice may.
constexpr size_t kMany = 1000;
constexpr int64_t kSignals = 1, kFreedMessages = 4;  // a reduction

static size_t relations_of(const Process& p) {
  return p.links ? p.links->links.size() + p.links->watchers.size() + p.links->monitors.size() : 0;
}

static void notify_relations(Process& p, Term reason) {
  if (!p.links) return;
  Relations& r = *p.links;
  ExitBudget budget(p, kSignals);
  for (auto& [number, m] : r.monitors) {
    if (!takes_signals(m.target)) continue;
    Signal* s = new_signal(SignalKind::demonitor);
    s->from = p.address();
    s->ref = number;
    route(p.vm(), m.target, s);
    budget.step();
  }
  for (auto& [to, unlinking] : r.links) {
    if (unlinking) continue;
    Signal* s = new_signal(SignalKind::link_exit, reason);
    s->from = p.address();
    if (WB_UNLIKELY(may_have_token(p)) && (to.is_local_pid() || to.is_remote()))
      send_exit_token(p, *s, to);
    route(p.vm(), to, s);
    if (to.is_remote()) p.vm().hooks->await_node(p, to);
    budget.step();
  }
  r.watchers.sort();  // who monitors twice is notified in that order
  for (auto& [number, watcher] : r.watchers) {
    Signal* s = new_signal(SignalKind::down, reason);
    s->from = p.address();
    s->ref = number;
    route(p.vm(), watcher.who, s);
    if (watcher.who.is_remote()) p.vm().hooks->await_node(p, watcher.who);
    budget.step();
  }
}

static void free_messages(Process& p, WorkBudget& budget) {
  for (Signal* s = p.messages; s;) {
    Signal* next = s->next;
    free_signal(s);
    s = next;
    budget.step();
  }
  p.messages = nullptr;
  p.messages_end = p.save = &p.messages;
  p.message_count = p.message_words = 0;
}

static void trace_exit(Process& p, Term reason) {
  VmHooks& hooks = *p.vm().hooks;
  if (p.in_native_yield() && p.extra->yielded_call->is_elsewhere)
    hooks.trace_exiting(p, am::in_exiting);
  hooks.trace_procs(p, am::exit, reason);
  Term name = p.named.load(std::memory_order_relaxed) ? p.vm().processes->name_of(p.id) : kNone;
  if (is_value(name)) hooks.trace_procs(p, am::unregister, name);
}

/// Without one of its own processes a booted machine cannot go on.
static void system_process_ended(Process& p, Term reason) {
  p.vm().dump_at_end("System process " + to_text(p.id) + " terminated: " + to_text(reason), p.id);
  p.vm().halt(1);
}

bool is_orderly(Term reason) {
  if (reason == am::normal || reason == am::shutdown) return true;
  return is_tuple(reason) && tuple_arity(reason) == 2 && tuple_elements(reason)[0] == am::shutdown;
}

/// With the program's own process the machine ends, as soon as what was written is out. Meanwhile
/// the others find what it owned (an acceptor its socket, a reader its table), as where halt/0 is
/// called: nobody's last words are of that. An explorer looks at what the others do without it.
static bool machine_ends_with(const Process& p) {
  return p.id == p.vm().main_pid && !p.vm().oracle->chooser();
}

/// Most are only counted, so the trace is made where it is wanted.
static void report_abnormal(Exec& c, Term reason, Term raw_trace) {
  Process& p = *c.p;
  VmHooks& hooks = *p.vm().hooks;
  c.worker->counters.abnormal_exits.add(1);
  const bool at_rest = raw_trace == kNone;
  const Word place = at_rest ? reinterpret_cast<Word>(p.resume.get()) : raw_trace_place(raw_trace);
  const uint64_t kind = hooks.ended_abnormally(p, reason, place);
  if (!kind) return;
  hooks.describe_exit(p, reason, at_rest ? kNone : build_stacktrace(c, raw_trace), kind);
}

void exit_process(Exec& c, Term reason, Term raw_trace) {
  Process& p = *c.p;
  if (p.exiting) return;
  if (WB_UNLIKELY(!is_orderly(reason))) report_abnormal(c, reason, raw_trace);
  if (p.system && !p.vm().hooks->has_services()) {
    system_process_ended(p, reason);
  } else if (p.id == p.vm().main_pid) {
    p.vm().main_ended(p, reason);
  }
  const bool survived = !machine_ends_with(p);
  p.exiting.store(true, std::memory_order_relaxed);
  if (WB_UNLIKELY(is_profiled(p.vm()))) p.vm().hooks->process_inactive(p);
  if (is_traced(p, traced::procs | traced::exiting | traced::watched)) trace_exit(p, reason);
  p.state.store(ProcessState::exiting, std::memory_order_relaxed);
  Vm& vm = p.vm();
  if (ReceiveParts* r = receive_of(p); r && r->timer.running) vm.scheduler->cancel_timer(r->timer);
  if (RareParts* rare = rare_of(p)) {
    set_saved_calls(p, 0);
    if (rare->blocks_scheduling) vm.settings->multi_scheduling.ended(*vm.scheduler, p.id);
    for (auto& [who, count] : rare->suspending) {
      for (uint32_t k = 0; k < count; ++k) resume_process(vm, who, p.address());
    }
  }
  if (p.suspend_count) vm.suspensions->ended(p.address());
  // Whoever is told of the end (`noproc` from when it is not to be found) finds neither its name
  // nor its tables.
  std::atomic_thread_fence(std::memory_order_seq_cst);  // table.h
  if (survived && p.named.load(std::memory_order_relaxed)) vm.processes->forget_name(p.id);
  const bool timed = p.timed.load(std::memory_order_relaxed);
  const bool tables = survived && vm.hooks->owns_tables(p);
  const bool many =
      relations_of(p) > kMany || p.message_count > kMany || (p.links && p.links->remote);
  // These let others run, and the module of a literal may go meanwhile.
  if (timed || tables || many) reason = copy_term_deep(p.heap, reason);
  if (tables) vm.hooks->release_tables(p, reason);
  vm.processes->remove(p);
  if (WB_UNLIKELY(p.special & kHasPolicies)) tell_policies(p, &Policy::exits);
  if (timed) vm.timers->receiver_gone(p);
  const auto exited = [&] {
    if (is_traced(p, traced::exiting)) vm.hooks->trace_exiting(p, am::out_exited);
  };
  if (!many) exited();
  close_inbox(p);
  if (p.counts_messages && p.extra->rare->mailbox) p.extra->rare->mailbox->close(p);
  reply_evictions(p);
  drop_collections(p);
  if (survived) notify_relations(p, reason);
  ExitBudget budget(p, kFreedMessages);
  free_messages(p, budget);
  if (many) exited();
  p.reductions += static_cast<uint64_t>(c.slice - c.fc);
}

void abandon_process(Process& p) {
  p.heap.destroy();
  abandon_inbox(p);
  UnlimitedBudget budget;
  free_messages(p, budget);
  Process::destroy(&p);
}

}  // namespace wb
