// spawn/3, spawn_link/3, spawn_opt/4, erts_internal:spawn_request/4.
//
// A local spawn cannot fail once its arguments are right (but for the process limit), so a request
// is answered at once: by a message to oneself that takes the way of every other signal, sent
// before the child begins so that nothing the child does comes before it.
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/child_options.h"
#include "vm/process/group_leader.h"
#include "vm/process/report.h"
#include "vm/process/run.h"
#include "vm/process/sequential.h"
#include "vm/process/signal.h"

namespace wb {

namespace {

/// The request and its answer, as messages: of spawn_request/4, and where a token goes with them.
class SpawnRequest final : public SpawnWitness {
 public:
  /// `options` is the list as the program wrote it; `number`: of the reference, 0 for a fresh one.
  SpawnRequest(Process& parent, const ChildOptions& child, const Term* a, Term options,
               uint64_t number, bool asynchronous)
      : parent_(parent), child_(child), asynchronous_(asynchronous) {
    Heap& h = parent.heap;
    ref_ = number ? monitor_ref(parent, h, number, child.monitor.alias) : parent.vm().new_ref(h);
    if (!may_have_token(parent)) return;
    int64_t arity = asynchronous ? 1 : list_length(a[2]);
    Term mfa = asynchronous ? tuple(h, am::erts_internal, am::spawn_init, make_small(arity))
                            : tuple(h, a[0], a[1], make_small(arity));
    Term args = asynchronous ? cons(h, tuple(h, a[0], a[1], a[2]), kNil) : a[2];
    request_ = {mfa, options, args};
  }
  Term ref() const { return ref_; }

  void added(Process& child) override {
    if (!may_have_token(parent_)) return;
    auto [mfa, options, args] = request_;
    Term request =
        tuple(parent_.heap, am::spawn_request, ref_, parent_.id,
              group_leader_term(parent_, parent_.heap), mfa, options, child_.reply_tag, args);
    inherit_token(parent_, child, request);
  }
  void traced(Process& child) override {
    if (may_have_token(child)) count_answer(child);
    bool answered = child_.reply == Reply::yes || child_.reply == Reply::success_only;
    if (asynchronous_ && !answered) return;
    Term answer = tuple(parent_.heap, child_.reply_tag, ref_, am::ok, child.id);
    if (!asynchronous_) return answer_spawn(parent_, child, answer, nullptr);
    Signal* s = new_signal(SignalKind::message, answer);
    if (may_have_token(child)) answer_spawn(parent_, child, answer, s);
    s->from = child.address();
    push_signal(parent_, s);
  }

 private:
  Process& parent_;
  const ChildOptions& child_;
  const bool asynchronous_;
  Term ref_;
  struct {
    Term mfa = kNil, options = kNil, args = kNil;
  } request_;
};

/// The child of checked arguments; `number` is its monitor's or request's reference.
Term start_child(Process& p, const Term* a, ChildOptions& r, uint64_t number) {
  Vm& vm = p.vm();
  if (r.monitored) r.spawn.monitor = number;
  Term pid;
  if (list_length(a[2]) > 255) {  // no function takes so many: the child finds that out
    Term args = cons(p.heap, a[2], kNil);
    args = cons(p.heap, a[0], cons(p.heap, a[1], args));
    pid = spawn_process(vm, &p, am::erlang, am::apply, args, r.spawn);
  } else {
    pid = spawn_process(vm, &p, a[0], a[1], a[2], r.spawn);
  }
  p.charge(2);
  if (pid == kSystemLimit) return report_no_process(vm);
  if (is_fault(pid) || !r.monitored) return pid;
  Monitor m = new_monitor(r.monitor, HeldAddress(Address::of_local(pid)));
  m.spawned = true;
  p.relations().monitors.try_emplace(number, m);
  return pid;
}

/// The same of a call that returns the pid at once.
Term start_child_now(Process& p, const Term* a, ChildOptions& r, uint64_t number, Term options) {
  if (WB_LIKELY(!may_have_token(p))) return start_child(p, a, r, number);
  SpawnRequest request(p, r, a, options, number, false);
  r.spawn.witness = &request;
  return start_child(p, a, r, number);
}

}  // namespace

BIF(erlang, spawn, 3)
{
  ChildOptions r(p.vm(), &p);
  return is_mfa(a) ? start_child_now(p, a, r, 0, kNil) : kBadarg;
}
BIF(erlang, spawn_link, 3)
{
  ChildOptions r(p.vm(), &p);
  r.spawn.link = true;
  if (!is_mfa(a)) return kBadarg;
  Term options = may_have_token(p) ? cons(p.heap, am::link, kNil) : kNil;
  return start_child_now(p, a, r, 0, options);
}
BIF(erlang, spawn_opt, 4)
{
  ChildOptions r(p.vm(), &p);
  if (!take_child_options(a[3], false, &r)) return p.badarg(r.fault);
  if (!is_mfa(a)) return kBadarg;
  uint64_t number = r.monitored ? p.vm().next_ref_number() : 0;
  Term pid = start_child_now(p, a, r, number, a[3]);
  if (is_fault(pid) || !r.monitored) return pid;
  return tuple(p.heap, pid, monitor_ref(p, p.heap, number, r.monitor.alias));
}
BIF(erts_internal, spawn_system_process, 3)
{
  ChildOptions r(p.vm(), &p);
  r.spawn.system = true;
  return is_mfa(a) ? start_child(p, a, r, 0) : kBadarg;
}

BIF(erts_internal, spawn_request, 4)
{
  if (!is_atom(a[0]) || !is_atom(a[1])) return am::badarg;
  if (list_length(a[2]) < 0) return am::badarg;
  if (list_length(a[3]) < 0) return am::badopt;
  ChildOptions r(p.vm(), &p);
  bool right = take_child_options(a[3], true, &r);
  uint64_t number = p.vm().next_ref_number();
  Heap& h = p.heap;
  if (right) {
    SpawnRequest request(p, r, a, a[3], number, true);
    r.spawn.witness = &request;
    if (is_value(start_child(p, a, r, number))) return request.ref();
  }
  Term ref = make_ref(h, number);
  if (r.reply == Reply::yes || r.reply == Reply::error_only) {
    Term why = right ? am::system_limit : am::badopt;
    push_signal(p, new_signal(SignalKind::message, tuple(h, r.reply_tag, ref, am::error, why)));
  }
  return ref;
}

}  // namespace wb
