// What processes tell of each other, suspending, and tasks done in another process' place.
#include "vm/process/info.h"
#include "vm/process/options.h"

#include <utility>

#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/vm.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/handle_signals.h"
#include "vm/process/requests.h"
#include "vm/process/route.h"

namespace wb {

/// Of a process that waits; kNone: it does not, or the items are not such that one can look.
static Term look_up_items(Process& p, Term pid, Term items) {
  Process* other = are_quick_items(items) ? p.vm().processes->find(pid) : nullptr;
  if (!other || !hold_parked(*other)) return kNone;
  Term result = process_info_items(*other, p.heap, items, false);
  release_parked(*other);
  return result;
}

static Term info(Process& p, Term pid, Term items) {
  if (pid != p.id) {
    Term seen = look_up_items(p, pid, items);
    return seen != kNone ? seen : send_request(p, pid, Request::info, items, am::undefined);
  }
  p.resume = p.exec->pc;
  if (!handle_signals(*p.exec)) return kRaised;  // what was sent before counts
  return process_info_items(p, p.heap, items, true);
}
BIF(erlang, process_info, 1)
{
  if (is_pid(a[0]) && is_of_old_incarnation(a[0])) return am::undefined;
  return is_local_pid(a[0]) ? info(p, a[0], am::undefined) : kBadarg;
}
BIF(erlang, process_info, 2)
{
  if (!is_pid(a[0]) || a[1] == am::undefined || !are_info_items(a[1])) return kBadarg;
  if (is_of_old_incarnation(a[0])) return am::undefined;
  return is_local_pid(a[0]) ? info(p, a[0], a[1]) : kBadarg;
}
BIF(erts_internal, is_system_process, 1)
{
  if (!is_local_pid(a[0])) return kBadarg;
  Process* q = p.vm().processes->find(a[0]);
  return make_bool(q && q->system);
}
BIF(erts_internal, is_process_alive, 2)
{
  if (!is_local_pid(a[0]) || !is_local_ref(a[1])) return kBadarg;
  send_request_by_message(p, p.id, a[0], Request::query,
                          tuple(p.heap, a[1], am::is_process_alive, kNil));
  return am::ok;
}
BIF(erts_internal, process_display, 2)
{
  if (!is_local_pid(a[0])) return am::badarg;
  if (a[1] != am::backtrace) return am::badopt;
  Term ref = p.vm().new_ref(p.heap);
  Term query = tuple(p.heap, ref, am::backtrace, kNil);
  send_request_by_message(p, p.id, a[0], Request::query, query);
  return ref;
}

// --- bounded mailboxes ---------------------------------------------------------------------------
/// Of a process of this node: what its mailbox holds, `unbounded`, or `undefined`: it has ended.
BIF(whitebeam, mailbox, 1)
{
  if (!is_local_pid(a[0])) return kBadarg;
  const Process* other = p.vm().processes->find(a[0]);
  if (!other) return am::undefined;
  if (!other->counts_messages || !other->extra->rare->mailbox) return am::unbounded;
  const BoundedMailbox& m = *other->extra->rare->mailbox;
  Heap& h = p.heap;
  const Term pairs[] = {am::limit,     make_small(m.limit),
                        am::when_full, atom_of(m.when_full),
                        am::queued,    make_small(m.held()),
                        am::waiting,   make_small(static_cast<int64_t>(m.waiting())),
                        am::dropped,   make_unsigned(h, m.dropped())};
  UnlimitedBudget budget;
  return map_from_pairs(h, pairs, std::size(pairs) / 2, budget);
}

// --- suspending ----------------------------------------------------------------------------------
namespace {
struct SuspendOptions {
  bool unless_suspending = false, asynchronous = false;
  Term tag = kNone;
};
bool take_suspend_options(Term list, SuspendOptions* o) {
  for (; is_cons(list); list = tail(list)) {
    Term option = head(list);
    if (option == am::unless_suspending) {
      o->unless_suspending = true;
    } else if (option == am::asynchronous) {
      o->asynchronous = true;
    } else if (is_tuple_of(option, 2) && tuple_elements(option)[0] == am::asynchronous) {
      o->asynchronous = true;
      o->tag = tuple_elements(option)[1];
    } else {
      return false;
    }
  }
  return is_nil(list);
}
}  // namespace

/// true, false, badarg, badopt, or a reference: the answer comes as {Ref, Answer}.
BIF(erts_internal, suspend_process, 2)
{
  SuspendOptions o;
  if (!is_local_pid(a[0]) || a[0] == p.id) return am::badarg;
  if (!take_suspend_options(a[1], &o)) return am::badopt;
  const Address who = Address::of_local(a[0]);
  uint32_t& count = p.rare().suspending[who];
  Vm& vm = p.vm();
  if (!vm.processes->find(who)) {
    p.extra->rare->suspending.erase(who);
    if (!o.asynchronous) return am::badarg;
    if (is_value(o.tag)) {
      push_signal(p, new_signal(SignalKind::message, tuple(p.heap, o.tag, am::badarg)));
    }
    return am::true_;
  }
  bool once_more = !(o.unless_suspending && count);
  count += once_more;
  Term result = make_bool(once_more);
  if (o.asynchronous && is_fault(o.tag)) {
    if (once_more) suspend_process(vm, who, p.address());
    return result;
  }
  // Asked even when it is suspended already: that may still be on its way.
  Term ref = o.asynchronous ? o.tag : vm.new_ref(p.heap);
  Term wanted = once_more ? am::suspend : am::suspended;
  Term answer = o.asynchronous ? am::suspended : result;
  send_request_by_message(p, p.id, a[0], Request::query, tuple(p.heap, ref, wanted, answer));
  return o.asynchronous ? result : ref;
}
BIF(erlang, resume_process, 1)
{
  if (!is_local_pid(a[0]) || !rare_of(p)) return kBadarg;
  auto& suspending = p.extra->rare->suspending;
  const Address who = Address::of_local(a[0]);
  auto it = suspending.find(who);
  if (it == suspending.end()) return kBadarg;
  if (--it->second == 0) suspending.erase(it);
  return resume_process(p.vm(), who, p.address()) ? am::true_ : kBadarg;
}

// --- tasks: {Type, Id, ...}, answered by the message {Type, Id, Result} --------------------------
static Term request_task(Process& p, Term requester, Term target, Term priority, Term task) {
  Priority urgency = static_cast<Priority>(p.priority.get());
  if (priority != am::inherit && !to_priority(priority, &urgency)) return kBadarg;
  if (!is_local_pid(requester) || !is_pid(target) || !is_tuple(task)) return kBadarg;
  if (is_of_old_incarnation(target)) target = kNone;  // it has ended
  if (is_pid(target) && !is_local_pid(target)) return kBadarg;
  if (tuple_arity(task) < 2) return kBadarg;
  const Term* e = tuple_elements(task);
  Term detail = tuple_arity(task) > 2 ? e[2] : kNil;
  bool known = (e[0] == am::garbage_collect &&
                (is_nil(detail) || detail == am::major || detail == am::minor)) ||
               (e[0] == am::check_process_code && is_atom(detail)) || e[0] == am::copy_literals ||
               e[0] == am::system_task_test;
  if (!known) return kBadarg;
  send_request_by_message(p, requester, target, Request::task, tuple(p.heap, e[0], e[1], detail),
                          static_cast<uint8_t>(urgency));
  return am::ok;
}
BIF(erts_internal, request_system_task, 3)
{
  return request_task(p, p.id, a[0], a[1], a[2]);
}
BIF(erts_internal, request_system_task, 4)
{
  return request_task(p, a[0], a[1], a[2], a[3]);
}

/// Nothing moves while a BIF runs: it yields, the collection happens before it is called again.
BIF(erts_internal, garbage_collect, 1)
{
  if (a[0] != am::major && a[0] != am::minor) return kBadarg;
  RareParts& rare = p.rare();
  if (std::exchange(rare.collected_for_self, !rare.collected_for_self)) return am::true_;
  p.collect_requested = true;
  rare.collect_minor = a[0] == am::minor;
  return kYield;
}
BIF(erts_internal, check_process_code, 1)
{
  if (!is_atom(a[0])) return kBadarg;
  p.resume = p.exec->pc;
  return make_bool(uses_old_code(p, a[0]));
}
/// No process executes on a dirty scheduler: long work is given to one without its process.
BIF(erts_internal, is_process_executing_dirty, 1)
{
  return is_local_pid(a[0]) ? am::false_ : kBadarg;
}
BIF(erts_internal, check_dirty_process_code, 2)
{
  return is_local_pid(a[0]) && is_atom(a[1]) ? am::normal : kBadarg;
}
BIF(erts_internal, dirty_process_handle_signals, 1)
{
  if (!is_local_pid(a[0])) return kBadarg;
  return p.vm().processes->find(a[0]) ? am::normal : am::noproc;
}

}  // namespace wb
