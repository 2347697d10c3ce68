// Who is traced, by whom, for what.
//
// A process carries two words: the flags it is traced for and its tracer (Process::trace_flags,
// Process::tracer). Both are written under one lock of the machine, by whoever calls trace/3, by
// the process itself (a match specification's actions) and by a parent that hands them to its
// child; they are read by the traced process without it. Marks beside the flags (sensitive, watched,
// sequential) are bits of their own, set without the lock: a message of another node may bring one
// to a process while its port is held. A process that is not traced pays one load
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
// What is said of the usual session's flags and tracer holds for those of others (session.h), which
// are in tables; `session` says whose are meant.
//
// Rejected: flags set by a signal to the process (it may be in a long computation, and trace_info/2
// would have to ask it); a table of traced processes beside them (a lock at each event).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/ranked_lock.h"
#include "vm/process/process.h"
#include "vm/process/trace_flags.h"
#include "vm/trace/breakpoint.h"
#include "vm/trace/module_tracers.h"
#include "vm/trace/session.h"
#include "vm/trace/watch.h"

namespace wb {

/// Which messages are traced.
struct TraceEventFilter {
  bool nothing = false;
  TraceSpecRef spec;  ///< null: all
};

class CallStops;
class TracedPorts;

class Tracing {
 public:
  explicit Tracing(Vm& vm);
  ~Tracing();
  Tracing(const Tracing&) = delete;

  // --- flags of processes ------------------------------------------------------------------------
  /// Switches flags on or off. False: it has another tracer, and flags were to be switched on.
  bool change(Process& p, bool on, uint32_t flags, Address tracer,
              SessionId session = kUsualSession);
  /// Flags `off` are switched off, then `on` on, for `tracer`; if that is nobody, all are off. Did
  /// that change anything? (A match specification's doing: it may take a process from another
  /// tracer.)
  bool replace(Process& p, uint32_t off, uint32_t on, Address tracer,
               SessionId session = kUsualSession);
  /// The same for processes to come.
  void change_new(bool on, uint32_t flags, Address tracer, SessionId session = kUsualSession);
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
  State state(Process& p, SessionId session = kUsualSession);
  State new_state(SessionId session = kUsualSession);
  /// Who of all sessions is to know of an event of `p` that one of `flags` is about: whoever is
  /// alive and not `p` itself. (listeners() in message.h asks this only where there are sessions.)
  std::vector<Listener> listeners(Process& p, uint32_t flags);

  // --- sessions ----------------------------------------------------------------------------------
  SessionId create_session(Term name, Address tracer, std::shared_ptr<SessionLife> life);
  /// False: it is not there any more.
  bool destroy_session(SessionId id);
  bool has_session(SessionId id);
  /// The session of `t`, which is there; else false.
  bool find_session(Term t, SessionId* id);
  std::optional<Term> session_name(SessionId id);
  Address session_tracer(SessionId id);  ///< none: it has ended
  Address session_owner(SessionId id);   ///< the tracer, whether it is there or not
  /// Of all that are there, the newest first, the usual one last.
  std::vector<SessionId> sessions();
  /// Destroys those that nobody has a reference to.
  void sweep();
  /// Before `child` runs: what it inherits.
  void inherit(Process* parent, Process& child, bool linked);

  // --- for the observer (watch.h): processes, and those to come, watched for exactly these
  void set_watched(Process& p, uint32_t flags);
  void set_new_watched(uint32_t flags);

  CallStops* stops = nullptr;  ///< whoever stops the run (call_stops.h), not owned
  Breakpoints breakpoints;  ///< in traced functions
  TraceWatch watch;         ///< what the observer is notified of
  ModuleTracers modules;    ///< tracers that are modules
  const std::unique_ptr<TracedPorts> ports;

  // --- which messages are traced: trace_pattern(send, ...), trace_pattern('receive', ...) --------
  enum Message : uint8_t { send, receive };
  void set_filter(Message kind, TraceEventFilter filter, SessionId session = kUsualSession);
  std::shared_ptr<const TraceEventFilter> filter(Message kind,
                                                 SessionId session = kUsualSession) const;

 private:
  using Filters = std::array<std::shared_ptr<const TraceEventFilter>, 2>;  ///< null: everything

  // All of these under lock_.
  uint32_t flags_of(const Process& p) const;
  void set(Process& p, uint32_t flags, Address tracer);
  void set_in(Process& p, Session& s, uint32_t flags);
  void unite(Process& p, uint32_t own);
  void drop_ended_tracer(Process& p);  ///< forgets a tracer that has ended
  Session* session_at(SessionId id);
  void sweep_modules();
  void set_new(uint32_t flags, Address tracer);
  void unite_new();
  State new_state_now();
  void inherit_from(Process& parent, bool linked, State* s);
  void inherit_in(Session& s, Process* parent, Process& child, bool linked);
  void forget_ended();

  Vm& vm_;
  RankedLock<LockRank::tracing> lock_;
  uint32_t new_flags_ = 0;  ///< of the usual session
  Address new_tracer_;
  std::map<SessionId, Session> sessions_;
  SessionId last_session_ = kUsualSession;
  /// The usual session's flags of processes that are traced in others, too.
  std::unordered_map<Term, uint32_t> own_;
  size_t forget_at_ = 64;  ///< so many in own_: those that have ended are forgotten
  mutable RankedLock<LockRank::trace_filters> filter_lock_;
  std::map<SessionId, Filters> filters_;
};

}  // namespace wb
