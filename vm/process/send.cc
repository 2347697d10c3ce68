#include "vm/process/send.h"

#include "term/identifiers.h"
#include "vm/core/vm.h"
#include "vm/process/bounded_mailbox.h"
#include "vm/process/extra.h"
#include "vm/process/route.h"
#include "vm/process/saved_calls.h"
#include "vm/process/sequential.h"
#include "vm/process/trace_flags.h"

namespace wb {

static Signal* new_message(Term message) { return new_signal(SignalKind::message, message); }

bool send_message(Vm& vm, Term pid, Term message) {
  Process* to = vm.processes->find(pid);
  return to && push_signal(*to, new_message(message));
}

/// {Name, Node} of this node: the name; of another, or none at all: kNone.
static Term name_here(Term to) {
  const Term* e = tuple_elements(to);
  return is_atom(e[0]) && e[1] == local_node().name ? e[0] : kNone;
}
static bool is_named(Term to) {
  return is_tuple_of(to, 2) && is_atom(tuple_elements(to)[0]) && is_atom(tuple_elements(to)[1]);
}

/// What a node without a name sends to others goes nowhere, and is not traced.
static void trace_sending(Process& from, Term to, Term message) {
  const bool elsewhere = is_external(to) || (is_tuple_of(to, 2) && is_fault(name_here(to)));
  if (elsewhere && local_node().name == am::nonode_at_nohost) return;
  const bool exists = !is_local_pid(to) || from.vm().is_alive(to);
  if (!is_port(to)) from.vm().hooks->trace_send(from, to, message, exists);
}

/// The receiver of `to` on this node, or null.
static Process* receiver_here(Process& from, Term to) {
  if (is_named(to)) to = name_here(to);
  if (is_atom(to)) to = from.vm().processes->whereis(to);
  return is_local_pid(to) ? from.vm().processes->find(to) : nullptr;
}
static bool is_bounded(Process& from, Term to) {
  const Process* receiver = receiver_here(from, to);
  return receiver && receiver->counts_messages;
}
/// kNone: it comes in (*counted: its place is reserved); else what the send says.
WB_COLD static Term ask_for_room(Process& from, Process& to, SendOptions options, bool* counted) {
  switch (admit(from, to, options.nosuspend)) {
    case Admission::reserved:
      *counted = true;
      return kNone;
    case Admission::enters:
      return kNone;
    case Admission::dropped:
      return am::ok;
    case Admission::waits:
      return kYield;
    case Admission::would_wait:
      return am::nosuspend;
    case Admission::fails:
      return from.error(tuple(from.heap, am::mailbox_full, to.id));
  }
}

// `watched`: the sender is traced, or may have a token. Others pay for one test.
template <bool watched>
static void push_message(Process& from, Process& to, Term pid, Term message, bool counted = false,
                         uint64_t stamp = 0) {
  Signal* s = new_message(message);
  s->from = from.address();
  if (counted) s->counted = true;
  if (stamp) s->ref = stamp;
  if (s->fragment) from.charge(static_cast<int64_t>(s->fragment->used / 32));
  if (watched) send_token(from, *s, pid, message);
  push_signal(to, s);
}

WB_COLD static Term send_to_bounded(Process& from, Process& to, Term message, SendOptions options) {
  bool counted = false;
  const Term refused = to.extra->rare->mailbox ? ask_for_room(from, to, options, &counted) : kNone;
  if (refused != kNone) return refused;
  if (options.trace_admitted) trace_sending(from, to.id, message);
  uint64_t stamp = 0;
  for (auto& policy : to.extra->rare->policies) stamp |= policy->stamp();
  push_message<true>(from, to, to.id, message, counted, stamp);
  return am::ok;
}

template <bool watched>
static WB_INLINE Term send_to_pid(Process& from, Term pid, Term message, SendOptions options) {
  Process* to = from.vm().processes->find(pid);
  if (!to) return am::ok;
  if (WB_UNLIKELY(to->counts_messages)) return send_to_bounded(from, *to, message, options);
  push_message<watched>(from, *to, pid, message);
  return am::ok;
}

template <bool watched>
static void send_to_alias(Process& from, Term ref, Term message, bool priority) {
  if (!is_kind(ref, Kind::pid_ref)) return;  // a plain reference never is an alias
  Process* to = from.vm().processes->find(boxed_ptr(ref)[3]);
  if (!to) return;
  Signal* s = new_signal(SignalKind::alias_message, message);
  if (priority) s->kind = SignalKind::priority_message;
  s->ref = ref_number(ref);
  s->from = from.address();
  if (watched) send_token(from, *s, ref, message);
  push_signal(*to, s);
}

/// To a process or port.
template <bool watched>
static Term send_to_local(Process& from, Term to, Term message, SendOptions options) {
  if (is_local_pid(to)) {
    return send_to_pid<watched>(from, to, message, options);
  }
  return from.vm().hooks->send_to_port(from, to, message, options.nosuspend);
}

/// To a pid, reference or name of another node. Nothing is copied: who has a connection writes it.
WB_COLD static Term send_elsewhere(Process& from, Term to, Term message, SendOptions options) {
  if (is_port(to) && !is_of_old_incarnation(to)) return kBadarg;
  return from.vm().hooks->send_to_node(from, to, message, options);
}

template <bool watched>
static Term send_to(Process& from, Term to, Term message, SendOptions options) {
  if (is_local_pid(to)) {
    return send_to_pid<watched>(from, to, message, options);
  }
  if (is_atom(to)) {
    Term pid = from.vm().processes->whereis(to);
    return is_fault(pid) ? kBadarg : send_to_local<watched>(from, pid, message, options);
  }
  if (is_local_ref(to)) {
    send_to_alias<watched>(from, to, message, options.priority);
    return am::ok;
  }
  if (is_local_port(to)) return send_to_local<watched>(from, to, message, options);
  if (is_external(to)) return send_elsewhere(from, to, message, options);
  if (!is_named(to)) return kBadarg;
  const Term name = name_here(to);
  if (is_fault(name)) return send_elsewhere(from, to, message, options);
  Term pid = from.vm().processes->whereis(name);
  return is_fault(pid) ? am::ok : send_to_local<watched>(from, pid, message, options);
}

constexpr uint32_t kWatched = traced::send | traced::watch_send | traced::sequential |
                              traced::saves_calls | traced::has_policies;

/// am::ok, or what the send says: a policy has it wait.
WB_COLD static Term ask_policies(Process& from, SendOptions options) {
  for (auto& policy : from.extra->rare->policies) {
    if (!policy->may_send(from, !options.nosuspend)) {
      return options.nosuspend ? am::nosuspend : kYield;
    }
  }
  return am::ok;
}

Term send_term(Process& from, Term to, Term message, SendOptions options) {
  if (WB_LIKELY(!(from.trace_flags.load(std::memory_order_relaxed) & kWatched))) {
    return send_to<false>(from, to, message, options);
  }
  if (has_policies(from)) {
    const Term refused = ask_policies(from, options);
    if (refused != am::ok) return refused;
  }
  if (is_traced(from, traced::saves_calls)) save_send(from, to, options.by_instruction);
  if (is_traced(from, traced::send | traced::watch_send)) {
    options.trace_admitted = is_bounded(from, to);
    if (!options.trace_admitted) trace_sending(from, to, message);
  }
  return send_to<true>(from, to, message, options);
}

}  // namespace wb
