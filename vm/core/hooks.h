// What the layers above attach to the core.
//
// The core (vm/core, vm/process) runs processes, and knows nobody above it: no interpreter, no
// table, no port, no tracer, no observer. Where something happens that a layer above must know of,
// the core asks a flag of its own (Process::trace_flags, Vm::profiled, Vm::owns_tables ...) and
// calls here only if that is set; so a hook costs nothing while nobody is attached. Nothing here is
// called between two instructions but run(), once a slice.
//
// One object a machine implements all of it, vm/machine/hooks.cc, by calling the layers' functions;
// whoever adds an event adds a line there, and no layer stores callbacks of its own in the core.
//
// Threads. A hook is called on the thread where the event happens: that of the worker that runs the
// process, or, for runnable(), park(), push_to_port() and push_to_node(), any. It may send signals.
// It may not collect the process, nor let it yield, unless it says so.
//
// Rejected: a list of listeners for each event (an order between them that nobody states); events
// as data in a queue (a trace message must be in the tracer's inbox before anybody can know of the
// event in another way).
#pragma once

#include <cstdint>
#include <string>

#include "term/fault.h"
#include "term/term.h"

namespace wb {

class Process;
class Vm;
/// As tracers see it: {M, F, Arity}.
struct FunctionName {
  Term module, function;
  uint32_t arity;
};
class Worker;
enum class TraceFrame : uint8_t;
struct Exec;
struct SendOptions;
struct Signal;
class Address;

class VmHooks {
 public:
  virtual ~VmHooks() = default;

  // --- execution (vm/interp, vm/jit, vm/orc) -----------------------------------------------------
  /// Runs `c.p` from `I` until its slice ends; Exec says how.
  virtual void run(const Word* I, Exec& c) = 0;
  /// The function at `entry`, whose arguments are in x, has been called Vm::warm_calls times.
  virtual void compile(Exec& c, const Word* entry) = 0;
  /// A slice is used up at that function's entry (Vm::samples_hot).
  virtual void sample_hot(Exec& c, const Word* entry) = 0;

  // --- services (vm/ets, vm/io, vm/port) ---------------------------------------------------------
  /// `p`, which owns or has fixed tables, sockets or connections, ends: tables go to heirs or are
  /// deleted. May yield; `reason` is then of its heap.
  virtual void release_tables(Process& p, Term reason) = 0;
  virtual bool owns_tables(Process& p) = 0;
  /// A signal to a port; takes it over. False: there is no such port.
  virtual bool push_to_port(Term port, Signal* s) = 0;
  /// `down` to a resource of a native library, by its number; takes the signal over.
  virtual bool push_to_resource(Term number, Signal* s) = 0;
  /// A message to a port: am::ok, or what send_term (vm/process/send.h) says of ports.
  virtual Term send_to_port(Process& from, Term port, Term message, bool nosuspend) = 0;
  /// The same to another node: a signal to somebody there (vm/process/route.h), which whoever has a
  /// connection takes over. False: there is none, and the signal is the caller's.
  virtual bool push_to_node(Address to, Signal* s) = 0;
  /// A message to a pid, reference or {Name, Node} there, or to a pid, port or reference of before
  /// this node was started anew: as send_term.
  virtual Term send_to_node(Process& from, Term to, Term message, const SendOptions& options) = 0;
  /// `p` ends and has sent a signal to somebody there: waits until there is room for more.
  virtual void await_node(Process& p, Address to) = 0;
  /// Nobody is registered as `name`: starts the service of that name. kNone: there is none.
  virtual Term start_service(Term name) = 0;
  virtual bool has_services() const = 0;
  /// Prints what is said of a crash, if services print. False: they do not.
  virtual bool print_crash(const std::string& header, Term pid, Term exit_value) = 0;
  /// The main process has ended: the machine halts when all is printed.
  virtual void main_ended(int code) = 0;
  /// A process ends otherwise than normally or by `shutdown`, at this code address, and still has
  /// all it had. 0, or what describe_exit() shall be called with.
  virtual uint64_t ended_abnormally(Process& p, Term reason, Word place) = 0;
  /// `trace`: its stack trace, nil if there is none to be had, kNone if its stack shows where it
  /// was.
  virtual void describe_exit(Process& p, Term reason, Term trace, uint64_t kind) = 0;
  /// A supervisor has seen the end of `child`, as its state has it: {child, Pid, Id, ...}.
  virtual void child_ended(Process& supervisor, Term child) = 0;

  // --- tracing (vm/trace). `p` is_traced for the event -------------------------------------------
  /// `message` is about to be sent to `to`, as the program wrote it; `exists`: there is a receiver.
  virtual void trace_send(Process& p, Term to, Term message, bool exists) = 0;
  /// Message `s` gets into the queue of `p`.
  virtual void trace_receive(Process& p, const Signal& s) = 0;
  virtual void trace_timeout(Process& p) = 0;
  /// link, unlink, getting_linked, getting_unlinked, exit, register, unregister: {trace, P, Tag,
  /// What}
  virtual void trace_procs(Process& p, Term tag, Term what) = 0;
  /// Before `child` runs: it inherits what its parent (or nobody: null) is traced for, and both
  /// events are reported. Called if the parent is traced, or Vm::traces_new is set.
  virtual void trace_spawn(Process* parent, Process& child, Term module, Term function, Term args,
                           bool linked) = 0;
  /// A slice begins (`where`, a function's name and arity, is where the process seems to be, if not
  /// where it is), or ends.
  virtual void scheduled_in(Process& p, const FunctionName* where) = 0;
  virtual void scheduled_out(Process& p) = 0;
  /// A dirty thread begins (am::in) or ends (am::out) what it does for `p`. By that thread.
  virtual void scheduled_elsewhere(Process& p, Term tag, const FunctionName& where) = 0;
  /// out_exiting, in_exiting: a process that ends yields; out_exited: it has ended.
  virtual void trace_exiting(Process& p, Term tag) = 0;
  virtual void trace_collection(Process& p, Term tag, size_t words) = 0;
  /// One is over, for the observer: what it took, what it left.
  virtual void watch_collection(Process& p, bool major, uint64_t ticks, size_t words) = 0;
  /// Sets or clears a mark in `p.trace_flags` that is no flag of trace/3; what was it?
  virtual bool mark(Process& p, uint32_t mark, bool on) = 0;
  /// One more process saves calls, or one less (vm/process/saved_calls.h).
  virtual void calls_are_saved(Vm& vm, bool on) = 0;
  /// At a breakpoint, which may be the stub of an export: does what is set on the function. Where
  /// to go on is left in Exec::pc; the word is its handler.
  virtual Word at_breakpoint(Exec& c, const Word* I, bool stub) = 0;
  /// A frame of tracing (vm/process/trace_frames.h) at the top of the stack ends; its address has
  /// been popped.
  virtual void end_trace_frame(Exec& c, TraceFrame kind) = 0;
  /// An exception unwinds the stack from its top to `handler`'s frame (`frame`; at the end there is
  /// none), in which there are frames of tracing.
  virtual void unwind_trace_frames(Exec& c, const Term* frame, const Word* handler,
                                   Term error_class, Term reason) = 0;
  /// Is any function traced?
  virtual bool traces_calls() const = 0;

  // --- monitors of the system (Settings::limits) and system_profile/2 (Vm::profiled) ------------
  virtual void collection_took(Process& p, uint64_t ticks) = 0;
  /// A slice of `p` is over, or `p` is, which began at `from`.
  virtual void slice_took(Process& p, const Word* from, uint64_t ticks) = 0;
  virtual void suspended_by_port(Process& p, Term port) = 0;
  virtual void monitor_changed() = 0;  ///< Settings::monitors, whose lock is held
  /// The queue of `p` is as long as a monitor wants to know, or was and is shorter now.
  virtual void queue_changed(Process& p) = 0;
  /// As wb::park, and the profiler is notified.
  virtual bool park(Process& p) = 0;
  /// It was parked or is new, and will be enqueued; it has returned from a call of a port.
  virtual void process_active(Process& p) = 0;
  /// It ends; it calls a port.
  virtual void process_inactive(Process& p) = 0;
  virtual void port_active(Term port, bool active) = 0;  ///< its lock is held
  virtual void falls_asleep(Worker& w) = 0;

  // --- the observer and profilers (ProcessHost::watch) -------------------------------------------
  /// A slice begins, which somebody watches.
  virtual void slice_begins(Exec& c) = 0;
  /// The slice is over: it waits, yields or has ended.
  virtual void slice_ends(Exec& c) = 0;
  /// `c.p` collects, having allocated so many words since the last time (Vm::samples_allocation).
  virtual void allocated(Exec& c, uint64_t words) = 0;

  // --- the machine ends --------------------------------------------------------------------------
  /// No process runs any more, and the machine ends in a crash: its dump is written.
  virtual void write_crash_dump(const std::string& slogan, Term by) = 0;
  /// No process runs any more: what was written to ports goes out.
  virtual void flush() = 0;
};

}  // namespace wb
