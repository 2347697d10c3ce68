// spawn/3, spawn_link/3, spawn_opt/4, erts_internal:spawn_request/4.
//
// A local spawn cannot fail once its arguments are right (but for the process limit), so a request
// is answered at once: by a message to oneself that takes the way of every other signal, sent
// before the child begins so that nothing the child does comes before it.
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/options.h"
#include "vm/process/run.h"
#include "vm/process/sequential.h"
#include "vm/process/signal.h"

namespace wb {

namespace {

enum class Reply : uint8_t { yes, no, error_only, success_only };

struct Child {
  explicit Child(Process& parent) : schedulers(parent.vm().scheduler->worker_count()) {
    const HeapDefaults& d = parent.vm().settings->heap;
    if (WB_LIKELY(!d.changed.load(std::memory_order_relaxed))) return;
    spawn.min_heap_size = d.min_heap_size;
    spawn.min_bin_vheap_size = d.min_bin_vheap_size;
    spawn.fullsweep_after = d.fullsweep_after;
    spawn.off_heap_messages = d.off_heap_messages;
    max_heap = {d.max_heap_size, d.max_heap_kill, d.max_heap_log};
    limit_heap(max_heap);
  }
  void limit_heap(const MaxHeap& max) {
    spawn.max_heap_size = max.words;
    spawn.max_heap_kill = max.kill, spawn.max_heap_log = max.log;
  }
  MaxHeap max_heap;  ///< the machine's default
  const uint32_t schedulers;
  SpawnOptions spawn;
  bool monitored = false;
  MonitorOptions monitor;
  Reply reply = Reply::yes;
  Term reply_tag = am::spawn_reply;
};

bool to_reply(Term t, Reply* reply) {
  switch (t) {
    case am::yes:
      *reply = Reply::yes;
      return true;
    case am::no:
      *reply = Reply::no;
      return true;
    case am::error_only:
      *reply = Reply::error_only;
      return true;
    case am::success_only:
      *reply = Reply::success_only;
      return true;
    default:
      return false;
  }
}

bool take_pair(Term key, Term value, bool asynchronous, Child* r) {
  SpawnOptions& s = r->spawn;
  switch (key) {
    case am::monitor:
      r->monitored = true;
      r->monitor = {};  // the last one counts, all of it
      return to_monitor_options(value, &r->monitor);
    case am::priority:
      return to_priority(value, &s.priority);
    case am::message_queue_data:
      s.off_heap_messages = value == am::off_heap;
      return value == am::off_heap || value == am::on_heap;
    case am::min_heap_size:
      return to_size(value, kMinHeapSize, &s.min_heap_size);
    case am::min_bin_vheap_size:

      return to_size(value, kMinBinVheapSize, &s.min_bin_vheap_size);
    case am::fullsweep_after:
      return to_limit(value, &s.fullsweep_after);
    case am::max_heap_size: {
      MaxHeap max = r->max_heap;
      if (!to_max_heap(value, &max)) return false;
      r->limit_heap(max);
      return true;
    }
    case am::scheduler:
      return to_limit(value, &s.scheduler) && s.scheduler <= r->schedulers;
    case am::reply:
      return asynchronous && to_reply(value, &r->reply);
    case am::reply_tag:
      r->reply_tag = value;
      return asynchronous;
    default:
      return false;
  }
}

/// Takes all that is right, so that a wrong option is reported as the right ones say.
bool take_options(Term list, bool asynchronous, Child* r) {
  bool right = true;
  for (; is_cons(list); list = tail(list)) {
    Term option = head(list);
    if (option == am::link) {
      r->spawn.link = true;
    } else if (option == am::monitor) {
      r->monitored = true;
      r->monitor = {};
    } else if (is_tuple_of(option, 2)) {
      const Term* e = tuple_elements(option);
      right &= take_pair(e[0], e[1], asynchronous, r);
    } else {
      right = false;
    }
  }
  return right && is_nil(list);
}

bool is_mfa(const Term* a) { return is_atom(a[0]) && is_atom(a[1]) && list_length(a[2]) >= 0; }

/// The request and its answer, as messages: of spawn_request/4, and where a token goes with them.
class SpawnRequest final : public SpawnWitness {
 public:
  /// `options` is the list as the program wrote it; `number`: of the reference, 0 for a fresh one.
  SpawnRequest(Process& parent, const Child& child, const Term* a, Term options, uint64_t number,
               bool asynchronous)
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
    Term request = tuple(parent_.heap, am::spawn_request, ref_, parent_.id,
                         parent_.group_leader.get(), mfa, options, child_.reply_tag, args);
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
  const Child& child_;
  const bool asynchronous_;
  Term ref_;
  struct {
    Term mfa = kNil, options = kNil, args = kNil;
  } request_;
};

/// The child of checked arguments; `number` is its monitor's or request's reference.
Term start_child(Process& p, const Term* a, Child& r, uint64_t number) {
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
  if (is_fault(pid) || !r.monitored) return pid;
  Monitor m = new_monitor(r.monitor, HeldAddress(Address::of_local(pid)));
  m.spawned = true;
  p.relations().monitors.try_emplace(number, m);
  return pid;
}

/// The same of a call that returns the pid at once.
Term start_child_now(Process& p, const Term* a, Child& r, uint64_t number, Term options) {
  if (WB_LIKELY(!may_have_token(p))) return start_child(p, a, r, number);
  SpawnRequest request(p, r, a, options, number, false);
  r.spawn.witness = &request;
  return start_child(p, a, r, number);
}

}  // namespace

BIF(erlang, spawn, 3)
{
  Child r(p);
  return is_mfa(a) ? start_child_now(p, a, r, 0, kNil) : kBadarg;
}
BIF(erlang, spawn_link, 3)
{
  Child r(p);
  r.spawn.link = true;
  if (!is_mfa(a)) return kBadarg;
  Term options = may_have_token(p) ? cons(p.heap, am::link, kNil) : kNil;
  return start_child_now(p, a, r, 0, options);
}
BIF(erlang, spawn_opt, 4)
{
  Child r(p);
  if (!take_options(a[3], false, &r)) return p.badarg(am::badopt);
  if (!is_mfa(a)) return kBadarg;
  uint64_t number = r.monitored ? p.vm().next_ref_number() : 0;
  Term pid = start_child_now(p, a, r, number, a[3]);
  if (is_fault(pid) || !r.monitored) return pid;
  return tuple(p.heap, pid, monitor_ref(p, p.heap, number, r.monitor.alias));
}
BIF(erts_internal, spawn_system_process, 3)
{
  Child r(p);
  r.spawn.system = true;
  return is_mfa(a) ? start_child(p, a, r, 0) : kBadarg;
}

BIF(erts_internal, spawn_request, 4)
{
  if (!is_atom(a[0]) || !is_atom(a[1])) return am::badarg;
  if (list_length(a[2]) < 0) return am::badarg;
  if (list_length(a[3]) < 0) return am::badopt;
  Child r(p);
  bool right = take_options(a[3], true, &r);
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
/// Too late: every request has been answered.
BIF(erlang, spawn_request_abandon, 1)
{
  return is_ref(a[0]) ? am::false_ : kBadarg;
}
/// No other node can be reached. The Erlang callers turn the answer into what they promise.
BIF(erts_internal, dist_spawn_request, 4)
{
  if (!is_atom(a[0]) || !is_tuple_of(a[1], 3) || !is_mfa(tuple_elements(a[1]))) return am::badarg;
  if (list_length(a[2]) < 0) return am::badarg;
  Child r(p);
  bool right = take_options(a[2], a[3] == am::spawn_request, &r);
  p.vm().instance.nodes.note({a[0], 0});
  Heap& h = p.heap;
  Term ref = p.vm().new_ref(h);
  if (r.reply == Reply::yes || r.reply == Reply::error_only) {
    Term why = right ? am::noconnection : am::badopt;
    push_signal(p, new_signal(SignalKind::message, tuple(h, r.reply_tag, ref, am::error, why)));
  }
  return a[3] == am::spawn_request ? ref : tuple(h, ref, make_bool(r.monitored));
}

}  // namespace wb
