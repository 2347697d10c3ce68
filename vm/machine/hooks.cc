#include "vm/machine/hooks.h"

#include <cstdio>

#include "term/releasing_literals.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/ets/tables.h"
#include "vm/interp/interpreter.h"
#include "vm/io/services.h"
#include "vm/jit/baseline.h"
#include "vm/nif/library.h"
#include "vm/nif/nifs.h"
#include "vm/observe/crash_dump.h"
#include "vm/observe/exit_log.h"
#include "vm/observe/sampler.h"
#include "vm/orc/tiers.h"
#include "vm/port/ports.h"
#include "vm/process/literal_collector.h"
#include "vm/process/profiled.h"
#include "vm/process/report.h"
#include "vm/process/route.h"
#include "vm/process/send.h"
#include "vm/process/sequential.h"
#include "vm/socket/native_sockets.h"
#include "vm/trace/call_stops.h"
#include "vm/trace/calls.h"
#include "vm/trace/events.h"
#include "vm/trace/system_monitor.h"
#include "vm/trace/system_profile.h"
#include "vm/trace/tracing.h"

namespace wb {

// --- execution -----------------------------------------------------------------------------------
void MachineHooks::run(const Word* I, Exec& c) { enter_interpreter(I, &c); }
void MachineHooks::compile(Exec& c, const Word* entry) { compile_function(c, entry); }
void MachineHooks::sample_hot(Exec& c, const Word* entry) {
  if (const Module* stale = sample_function(c, entry)) {
    vm_->tracing->breakpoints.invalidate_hot_code(*stale, entry);
  }
}

// --- services ------------------------------------------------------------------------------------
// Tables, sockets and connections to nodes: the core only asks whether the end of a process has
// something to do here.
void MachineHooks::release_tables(Process& p, Term reason) {
  if (vm_->ets->involves(p)) vm_->ets->owner_exited(p);
  if (vm_->ports->sockets->involves(p.id)) vm_->ports->sockets->process_ended(p.id);
  if (vm_->ports->distribution->involves(p.id))
    vm_->ports->distribution->process_ended(p.id, reason);
}
bool MachineHooks::owns_tables(Process& p) {
  return vm_->ets->involves(p) || vm_->ports->sockets->involves(p.id) ||
         vm_->ports->distribution->involves(p.id);
}
bool MachineHooks::push_to_port(Term port, Signal* s) { return vm_->ports->push(port, s); }
bool MachineHooks::push_to_resource(Term number, Signal* s) {
  return vm_->nifs->monitored(number, s);
}
Term MachineHooks::send_to_port(Process& from, Term to, Term message, bool nosuspend) {
  auto port = vm_->ports->find(to);
  if (!port) return am::ok;
  if (may_have_token(from)) seq_sent(from, to, message);
  PortCall call(from);
  return port->receive(from, message, nosuspend);
}
bool MachineHooks::push_to_node(Address to, Signal* s) {
  return vm_->ports->distribution->push(to, s);
}
Term MachineHooks::send_to_node(Process& from, Term to, Term message, const SendOptions& options) {
  return vm_->ports->distribution->send(from, to, message, options);
}
void MachineHooks::await_node(Process& p, Address to) {
  vm_->ports->distribution->await_room(p, to);
}
Term MachineHooks::start_service(Term name) {
  return vm_->services ? vm_->services->start(name) : kNone;
}
bool MachineHooks::has_services() const { return vm_->services; }
bool MachineHooks::print_crash(const std::string& header, Term pid, Term exit_value) {
  if (vm_->services) vm_->services->report_crash(header, pid, exit_value);
  return vm_->services;
}
void MachineHooks::main_ended(int code) {
  if (vm_->services)
    vm_->services->halt(code);
  else
    vm_->halt(code);
}
uint64_t MachineHooks::ended_abnormally(Process& p, Term reason, Word place) {
  return vm_->exit_log->count(p, reason, place);
}
void MachineHooks::describe_exit(Process& p, Term reason, Term trace, uint64_t kind) {
  vm_->exit_log->record(p, reason, trace, kind);
}
void MachineHooks::child_ended(Process& supervisor, Term child) {
  vm_->exit_log->note_child(supervisor, child);
}

// --- tracing -------------------------------------------------------------------------------------
void MachineHooks::trace_send(Process& p, Term to, Term message, bool exists) {
  wb::trace_send(p, to, message, exists);
}
void MachineHooks::trace_receive(Process& p, const Signal& s) { wb::trace_receive(p, s); }
void MachineHooks::trace_timeout(Process& p) { wb::trace_timeout(p); }
void MachineHooks::trace_procs(Process& p, Term tag, Term what) { wb::trace_procs(p, tag, what); }
void MachineHooks::trace_spawn(Process* parent, Process& child, Term module, Term function,
                               Term args, bool linked) {
  trace_new_process(parent, child, module, function, args, linked);
}
void MachineHooks::scheduled_in(Process& p, const FunctionName* where) {
  where ? trace_turn(p, am::in, *where) : trace_in(p);
  start_call_meters(p);
}
void MachineHooks::scheduled_out(Process& p) {
  stop_call_meters(p);
  trace_out(p);
}
void MachineHooks::scheduled_elsewhere(Process& p, Term tag, const FunctionName& where) {
  ReaderGuard guard(vm_->scheduler->progress());  // whether the tracer is there
  trace_turn(p, tag, where);
}
void MachineHooks::trace_exiting(Process& p, Term tag) { wb::trace_exiting(p, tag); }
void MachineHooks::trace_collection(Process& p, Term tag, size_t words) {
  wb::trace_collection(p, tag, words);
}
void MachineHooks::watch_collection(Process& p, bool major, uint64_t ticks, size_t words) {
  wb::watch_collection(p, major, ticks, words);
}
bool MachineHooks::mark(Process& p, uint32_t mark, bool on) {
  return vm_->tracing->mark(p, mark, on);
}
void MachineHooks::calls_are_saved(Vm& vm, bool on) {
  Breakpoints& breakpoints = vm.tracing->breakpoints;
  on ? breakpoints.begin_saving() : breakpoints.end_saving();
}
Word MachineHooks::at_breakpoint(Exec& c, const Word* I, bool stub) {
  return run_breakpoint(c, I, stub);
}
void MachineHooks::end_trace_frame(Exec& c, TraceFrame kind) { wb::end_trace_frame(c, kind); }
void MachineHooks::unwind_trace_frames(Exec& c, const Term* frame, const Word* handler,
                                       Term error_class, Term reason) {
  wb::unwind_trace_frames(c, frame, handler, error_class, reason);
}
bool MachineHooks::traces_calls() const { return vm_->tracing->breakpoints.any(); }

// --- system_monitor, system_profile --------------------------------------------------------------
void MachineHooks::collection_took(Process& p, uint64_t ticks) { monitor_collection(p, ticks); }
void MachineHooks::slice_took(Process& p, const Word* from, uint64_t ticks) {
  monitor_slice(p, from, ticks);
}
void MachineHooks::suspended_by_port(Process& p, Term port) {
  vm_->ports->distribution->is_controller(port) ? monitor_busy_dist_port(p, port)
                                                : monitor_busy_port(p, port);
}
void MachineHooks::monitor_changed() { wb::monitor_changed(*vm_); }
void MachineHooks::queue_changed(Process& p) { monitor_queue(p); }
bool MachineHooks::park(Process& p) { return vm_->profile->park(p); }
void MachineHooks::process_active(Process& p) { vm_->profile->process_active(p); }
void MachineHooks::process_inactive(Process& p) { vm_->profile->process_inactive(p); }
void MachineHooks::port_active(Term port, bool active) { vm_->profile->port(port, active); }
void MachineHooks::falls_asleep(Worker& w) { vm_->profile->falls_asleep(w); }

// --- the observer and profilers ------------------------------------------------------------------
void MachineHooks::slice_begins(Exec& c) {
  Process& p = *c.p;
  if (CallStops* stops = vm_->tracing->stops) stops->at_slice(c);
  if (is_profiled(*vm_)) vm_->profile->runs(*c.worker, p);
  if (Sampler::Line* line = vm_->sampler->line(c.worker->index())) {
    c.slice = c.fc = line->begin(c.slice);
    c.pc = p.resume;  // what stands there is another process' (allocated)
  }
}
void MachineHooks::slice_ends(Exec& c) {
  if (Sampler::Line* line = vm_->sampler->line(c.worker->index())) {
    Process& p = *c.p;
    vm_->sampler->end(*line, p, p.exiting ? nullptr : p.resume.get(), c.fc);
  }
}
void MachineHooks::allocated(Exec& c, uint64_t words) {
  vm_->sampler->collected(*c.p, c.pc, words);
}

void MachineHooks::write_crash_dump(const std::string& slogan, Term by) {
  wb::write_crash_dump(*vm_, slogan, by);
}
void MachineHooks::flush() {
  vm_->ports->flush();
  vm_->code->each_module([](Module& m) {
    if (const NifLibrary* library = library_of(m)) library->halted();
  });
}

// --- code ----------------------------------------------------------------------------------------
void MachineHooks::became_current(Module& m) { vm_->tracing->breakpoints.became_current(m); }
void MachineHooks::becoming_old(Module& m) { vm_->tracing->breakpoints.becoming_old(m); }
void MachineHooks::being_freed(Module& m) { vm_->tracing->breakpoints.being_freed(m); }
void MachineHooks::linked(Module& m) {
  if (vm_->options.jit == JitMode::baseline_eager) vm_->baseline->compile_all(m);
}

namespace {
/// A purged module without its code.
struct RetiredModule final : RetiredLiterals {
  explicit RetiredModule(std::unique_ptr<Module> m) : module(std::move(m)) {}
  void spans(ReleasingLiterals& into) const override { into.add(module->literals); }
  const std::unique_ptr<Module> module;
};
}  // namespace

void MachineHooks::retired(std::unique_ptr<Module> m) {
  vm_->literals->retire(std::make_unique<RetiredModule>(std::move(m)));
}
void MachineHooks::purge_over(Term pid) { route(*vm_, pid, new_signal(SignalKind::resume)); }
void MachineHooks::log(const std::string& message) {
  fprintf(stderr, "whitebeam: %s\n", message.c_str());
}

}  // namespace wb
