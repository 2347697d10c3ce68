// Sequential tracing: a token that goes from process to process with messages.
//
// Who has a token gives it to whom it sends to, spawns or is linked to when it ends; who receives a
// message has that message's token from then on, or none if it was sent without one. Where the
// token says so (send, receive, print), the machine's sequential tracer is notified.
//
// A token is no term. Its label, the one part that may be large, is a copy that all share, outside
// every heap; the rest is a few words that each message carries by itself (Signal::ref, marked by
// Request::token). So collections, hidden messages and literals of unloaded modules know nothing of
// tokens; terms are made when a program asks.
//
// Cost: a process that has a token is marked in Process::trace_flags, at which a send and a receive
// look anyway. All tokens are forgotten at once (reset_seq_trace) by counting a number up: a token
// of an earlier count is none.
//
// Rejected: the token as a term in the message's fragment, as on BEAM (a root in every queue, and
// a write into an old heap whenever its serial changes).
#pragma once

#include <memory>

#include "gc/fragment.h"
#include "term/copy.h"
#include "vm/process/signal.h"
#include "vm/process/trace_flags.h"

namespace wb {

/// Tracers that are no processes: modules of native functions (vm/trace/module_tracers.h), whose
/// addresses are numbers, and ports.
class TracerModules {
 public:
  virtual ~TracerModules() = default;
  /// Nobody: `module` has no native functions of a tracer.
  virtual Address address_of(Term module, Term state) = 0;
  /// {Module, State}, or [] if it has gone.
  virtual Term term_of(Heap& h, Address tracer) const = 0;
  virtual bool is_there(Address tracer) const = 0;
  /// It happens to process `about`; `stamp`: flags of traced::.
  virtual void tell_sequential(Address tracer, Term about, Term label, Term what,
                               uint32_t stamp) = 0;
  /// Is this a port that can be a tracer?
  virtual bool is_tracer_port(Address port) const = 0;
  virtual void tell_port(Address port, Term message) = 0;
};

namespace seq {
/// What is reported, and how it is stamped: bits that programs see.
enum : uint32_t {
  send = 1,
  receive = 2,
  print = 4,
  timestamp = 8,
  strict_monotonic_timestamp = 16,
  monotonic_timestamp = 32,
};

/// A label, shared by all tokens that came from one.
struct Label {
  Term term;
  HeapFragment* fragment = nullptr;
  explicit Label(Term t);
  ~Label();
  Label(const Label&) = delete;
};

struct Token {
  std::shared_ptr<const Label> label;  ///< null: 0
  HeldAddress sender;
  int64_t serial = 0, last = 0;
  uint64_t alias = 0;  ///< of an alias message: what Signal::ref is without a token
  uint32_t flags = 0;
  uint32_t count = 0;  ///< Vm::token_count when it was made

  Term label_term() const { return label ? label->term : make_small(0); }
};

/// What a process keeps; the counters outlive its tokens.
struct State {
  Token token;
  bool has_token = false;
  int64_t clock = 0, last = 0;
  uint32_t count = 0;
};
}  // namespace seq

/// May `p` have a token? If not, it has none.
WB_INLINE bool may_have_token(const Process& p) {
  return p.trace_flags.load(std::memory_order_relaxed) & traced::sequential;
}

// --- what programs ask and set -------------------------------------------------------------------
/// {Flags, Label, Serial, From, Last}, or [].
Term seq_token(Process& p, Heap& h);
/// {Item, Value} or [] of a component; kBadarg: there is no such component.
Term seq_component(Process& p, Heap& h, Term item);
/// The value it had (in `h`), or kBadarg. `sequential_trace_token` may be set to [].
Term set_seq_component(Process& p, Heap& h, Term item, Term value);
/// With a token (and this label, if there is one): the tracer is notified, if it wants to know.
bool seq_print(Process& p, Term message, Term label = kNone);
/// Nobody has a token any more, and every counter is 0.
void reset_seq_trace(Vm& vm);
/// The tracer: a process here, a port, a tracer module, or nobody.
Address seq_tracer(Vm& vm);
Term sequential_tracer_term(Vm& vm, Heap& h, Address tracer);

// --- what happens to tokens. `p` or `from` may have one (may_have_token), or `s` carries one. ----
/// `s` is about to go from `from` to `to`, as the program says (a pid or alias), with `message`.
void send_token(Process& from, Signal& s, Term to, Term message);
/// The same where nothing goes with it (a port).
void seq_sent(Process& from, Term to, Term message);
/// The same, of a message to another node: the token that goes with it, kNone if there is none.
Term seq_sent_elsewhere(Process& from, Heap& h, Term to, Term message);
/// `s` has come with this token from another node. False: it is none.
bool attach_token(Vm& vm, Signal& s, Term token);
/// The token that `s` carries to another node; kNone: none.
Term carried_token(const Signal& s, Heap& h);
/// `from` has ended; `s` notifies `to`, which is linked to it.
void send_exit_token(Process& from, Signal& s, Address to);
/// `p` takes `s` out of its queue.
void receive_token(Process& p, Signal& s);
/// `parent` asks for `child`, which has not begun, by `request`.
void inherit_token(Process& parent, Process& child, Term request);
/// `child`, which has not begun, counts its answer, whether there is one or not.
void count_answer(Process& child);
/// It answers by `answer`: at once, or by `s`.
void answer_spawn(Process& parent, Process& child, Term answer, Signal* s);
void free_token(Signal& s);

// --- the same over nodes -------------------------------------------------------------------------
/// `parent` asks `node` for a child: the token that goes with `request`, kNone if there is none.
/// That the arguments follow is an event of its own.
Term seq_asked_elsewhere(Process& parent, Heap& h, Term node, Term request, Term args);
/// Another node has asked, with `token`, and is answered: the token that goes with `answer`, or
/// kNone. `child` has not begun; null: there is none.
Term seq_answered(Vm& vm, Heap& h, Term token, Process* child, Term request, Term answer);
/// Then the child gets what it was asked for with.
void seq_got_arguments(Process& child, Term token, Term args);

}  // namespace wb
