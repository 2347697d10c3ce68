#include "vm/process/send.h"

#include "term/identifiers.h"
#include "vm/core/vm.h"
#include "vm/process/saved_calls.h"
#include "vm/process/sequential.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {

static Signal* new_message(Term message) { return new_signal(SignalKind::message, message); }

bool send_message(Vm& vm, Term pid, Term message) {
  Process* to = vm.processes->find(pid);
  return to && push_signal(*to, new_message(message));
}

// `watched`: the sender is traced, or may have a token. Others pay for one test.
template <bool watched>
static void send_to_pid(Process& from, Term pid, Term message) {
  Process* to = from.vm().processes->find(pid);
  if (!to) return;
  Signal* s = new_message(message);
  s->from = from.id;
  if (s->fragment) from.charge(static_cast<int64_t>(s->fragment->used / 32));
  if (watched) send_token(from, *s, pid, message);
  push_signal(*to, s);
}

template <bool watched>
static void send_to_alias(Process& from, Term ref, Term message) {
  if (!is_kind(ref, Kind::pid_ref)) return;  // a plain reference never is an alias
  Process* to = from.vm().processes->find(boxed_ptr(ref)[3]);
  if (!to) return;
  Signal* s = new_signal(SignalKind::alias_message, message);
  s->ref = ref_number(ref);
  s->from = from.id;
  if (watched) send_token(from, *s, ref, message);
  push_signal(*to, s);
}

/// What is sent to other nodes is not traced: there are none.
static void trace_sending(Process& from, Term to, Term message) {
  if (is_external(to)) return;
  bool node = is_tuple_of(to, 2);
  if (node && tuple_elements(to)[1] != local_node().name) return;
  bool exists = !is_local_pid(to) || from.vm().processes->find(to);
  if (node || is_atom(to) || is_local_pid(to) || is_ref(to))
    from.vm().hooks->trace_send(from, to, message, exists);
}

/// To a process or port.
template <bool watched>
static Term send_to_local(Process& from, Term to, Term message, SendBy by) {
  if (is_local_pid(to)) {
    send_to_pid<watched>(from, to, message);
    return am::ok;
  }
  return from.vm().hooks->send_to_port(from, to, message, by == SendBy::nosuspend);
}

template <bool watched>
static Term send_to(Process& from, Term to, Term message, SendBy by) {
  if (is_local_pid(to)) {
    send_to_pid<watched>(from, to, message);
    return am::ok;
  }
  if (is_atom(to)) {
    Term pid = from.vm().processes->whereis(to);
    return is_fault(pid) ? kBadarg : send_to_local<watched>(from, pid, message, by);
  }
  if (is_ref(to)) {
    send_to_alias<watched>(from, to, message);
    return am::ok;
  }
  if (is_local_port(to)) return send_to_local<watched>(from, to, message, by);
  if (is_pid(to)) return am::ok;  // of another node: there is none
  if (is_tuple_of(to, 2) && is_atom(tuple_elements(to)[0]) && is_atom(tuple_elements(to)[1])) {
    if (tuple_elements(to)[1] != am::nonode_at_nohost) return am::ok;
    Term pid = from.vm().processes->whereis(tuple_elements(to)[0]);
    return is_fault(pid) ? am::ok : send_to_local<watched>(from, pid, message, by);
  }
  return kBadarg;
}

constexpr uint32_t kWatched =
    traced::send | traced::watch_send | traced::sequential | traced::saves_calls;

Term send_term(Process& from, Term to, Term message, SendBy by) {
  if (WB_LIKELY(!(from.trace_flags.load(std::memory_order_relaxed) & kWatched))) {
    return send_to<false>(from, to, message, by);
  }
  if (is_traced(from, traced::saves_calls)) save_send(from, to, by == SendBy::instruction);
  if (is_traced(from, traced::send | traced::watch_send)) trace_sending(from, to, message);
  return send_to<true>(from, to, message, by);
}

}  // namespace wb
