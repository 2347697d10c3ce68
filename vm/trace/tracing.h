// Who is traced, by whom, for what.
//
// A process carries two words: the flags it is traced for and its tracer (Process::trace_flags,
// Process::tracer). Both are written under one lock of the machine, by whoever calls trace/3, by
// the process itself (a match specification's actions) and by a parent that hands them to its
// child; they are read by the traced process without it. A process that is not traced pays one load
// at what is an event anyway (a message, a link, a slice), and nothing for a call: traced functions
// have a breakpoint in their code (breakpoint.h).
//
// Order. A trace message is pushed to the tracer's inbox by the traced process itself, when the
// event happens and before anybody else can know of it (a message is traced, then sent; an exit is
// traced, then the links are notified). So whoever knows of an event through whatever chain of
// signals can be sure that the tracer has its message: trace_delivered/1 only has to answer.
//
// A tracer that has ended is noticed at the next event, or when somebody asks; then the process is
// not traced any more. A process is no event for itself: what a tracer does is never reported to
// it.
//
// Memory order: flags and tracer are independent words. A reader that sees flags without a tracer
// drops the event; one that sees the tracer of before or after is as late or early as its event.
//
// Rejected: flags set by a signal to the process (it may be in a long computation, and trace_info/2
// would have to ask it); a table of traced processes beside them (a lock at each event).
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "base/ranked_lock.h"
#include "vm/process/process.h"
#include "vm/process/trace_flags.h"
#include "vm/trace/breakpoint.h"
#include "vm/trace/module_tracers.h"
#include "vm/trace/watch.h"

namespace wb {

/// Which messages are traced.
struct TraceEventFilter {
  bool nothing = false;
  TraceSpecRef spec;  ///< null: all
};

class TracedPorts;

class Tracing {
 public:
  explicit Tracing(Vm& vm);
  ~Tracing();
  Tracing(const Tracing&) = delete;

  // --- flags of processes ------------------------------------------------------------------------
  /// Switches flags on or off. False: it has another tracer, and flags were to be switched on.
  bool change(Process& p, bool on, uint32_t flags, Address tracer);
  /// Flags `off` are switched off, then `on` on, for `tracer`; if that is nobody, all are off. Did
  /// that change anything? (A match specification's doing: it may take a process from another
  /// tracer.)
  bool replace(Process& p, uint32_t off, uint32_t on, Address tracer);
  /// The same for processes to come.
  void change_new(bool on, uint32_t flags, Address tracer);
  /// Sets a mark that is no flag of trace/3, by `p` itself (or by its parent before it runs):
  /// traced::sensitive, when nothing is reported, or traced::sequential. What was it?
  bool mark(Process& p, uint32_t mark, bool on);
  /// Has `tracer`, if there is one, ended? A module is asked when there is an event.
  bool gone(Address tracer) const;
  /// Who is meant by what to_trace_flags gave; `module` keeps a module with its state. Nothing:
  /// that is no tracer.
  std::optional<Address> tracer_of(const TraceFlagList& list, ModuleTracerRef* module);
  /// The tracer as programs know it; [] if it is nobody.
  Term tracer_term(Heap& h, Address tracer) const;
  /// Does `tracer` want to know of `tag`, which happens to `p`? A module that answers neither yes
  /// nor no does not trace it any more.
  bool wants(Process& p, Address tracer, Term tag);
  /// Does the module say of itself that it may trace `p`?
  bool is_there(Process& p, Address module) {
    return modules.enabled(module, am::trace_status, p.id) != TracerAnswer::remove;
  }
  /// A module that traces `p` is asked whether it still does.
  void ask_tracer(Process& p);
  struct State {
    uint32_t flags = 0;
    Address tracer;
  };
  State state(Process& p);
  State new_state();
  /// Before `child` runs: what it inherits.
  void inherit(Process* parent, Process& child, bool linked);

  // --- for the observer (watch.h): processes, and those to come, watched for exactly these
  void set_watched(Process& p, uint32_t flags);
  void set_new_watched(uint32_t flags);

  Breakpoints breakpoints;  ///< in traced functions
  TraceWatch watch;         ///< what the observer is notified of
  ModuleTracers modules;    ///< tracers that are modules
  const std::unique_ptr<TracedPorts> ports;

  // --- which messages are traced: trace_pattern(send, ...), trace_pattern('receive', ...) --------
  enum Message : uint8_t { send, receive };
  void set_filter(Message kind, TraceEventFilter filter);
  std::shared_ptr<const TraceEventFilter> filter(Message kind) const;

 private:
  void drop_ended_tracer(Process& p);  ///< forgets a tracer that has ended; under lock_
  void sweep_modules();
  void set_new(uint32_t flags, Address tracer);
  State new_state_now();
  void inherit_from(Process& parent, bool linked, State* s);

  Vm& vm_;
  RankedLock<LockRank::tracing> lock_;
  Address new_tracer_;
  mutable RankedLock<LockRank::trace_filters> filter_lock_;
  std::shared_ptr<const TraceEventFilter> filters_[2];  ///< null: everything
};

}  // namespace wb
