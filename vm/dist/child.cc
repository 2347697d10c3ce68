// A child of another node is asked for by one message and answered for by another. Until then the
// connection knows who has asked and what it wants (PendingSpawn), so that the end of the
// connection answers, too.
//
// The answer makes the link and the monitor on the parent's side, which only the parent may touch:
// it visits itself (vm/process/visit.h) when it handles the signal, and the message that says
// {Tag, Ref, ok, Pid} follows. A parent that ends between its request and that moment leaves its
// reason with the connection (AwaitedLink), and the child is told it as if the link had been there.
// A parent is out of the table of processes first, then it says why it ends, then it closes its
// inbox: a visit that finds nobody may come before the reason, and leaves the child there in its
// turn.
#include "vm/dist/child.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "term/copy.h"
#include "term/dist_atoms.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"
#include "vm/process/child_options.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/native.h"
#include "vm/process/relations.h"
#include "vm/process/report.h"
#include "vm/process/route.h"
#include "vm/process/sequential.h"
#include "vm/process/visit.h"

namespace wb {

namespace {
constexpr int64_t kLinked = 1, kMonitored = 2;

/// Before the child of another node begins.
class ChildOfOther final : public SpawnWitness {
 public:
  ChildOfOther(const ChildRequest& r, const ChildOptions& options) : r_(r), options_(options) {}

  void added(Process& child) override {
    set_group_leader(child, r_.leader);
    HeldAddress parent = address_of(r_.parent);
    Relations* relations = options_.spawn.link || options_.monitored ? &child.relations() : nullptr;
    child.rare().remote_parent = parent;
    if (relations) relations->remote = true;
    if (options_.spawn.link) relations->add_link(parent);
    uint64_t number = 0;
    if (options_.monitored) {
      number = r_.vm.next_ref_number();
      parent->retain();
      relations->watchers[number] = {parent, kNil};
    }
    r_.connection.note_child(child.address(), parent, options_.spawn.link, number,
                             RefKey::of(r_.ref));
  }
  void traced(Process& child) override {
    answer(child.id, &child);
    if (WB_UNLIKELY(is_value(r_.token))) seq_got_arguments(child, r_.token, r_.args);
  }
  void answer(Term result, Process* child = nullptr) {
    const int64_t flags =
        is_pid(result) ? (options_.spawn.link ? kLinked : 0) | (options_.monitored ? kMonitored : 0)
                       : 0;
    FragmentHeap h(32);
    const Term token = is_value(r_.token) ? answer_token(h, child, result) : kNone;
    r_.connection.say({.op = DistOp::spawn_reply,
                       .from = result,
                       .to = r_.parent,
                       .ref = r_.ref,
                       .data = result,
                       .options = make_small(flags),
                       .token = token},
                      result);
  }

 private:
  WB_COLD Term answer_token(Heap& h, Process* child, Term result) {
    const Term ok = is_pid(result) ? am::ok : am::error;
    const Term request =
        tuple(h, am::spawn_request, r_.ref, r_.parent, r_.leader, r_.mfa, r_.options);
    return seq_answered(r_.vm, h, r_.token, child, request,
                        tuple(h, am::spawn_reply, r_.ref, ok, result));
  }

  const ChildRequest& r_;
  const ChildOptions& options_;
};

/// The parent links to and monitors its child.
class NewChild final : public Visit {
 public:
  NewChild(std::shared_ptr<Connection> c, Vm& vm, uint64_t number, PendingSpawn& spawn,
           HeldAddress child)
      : connection_(std::move(c)),
        vm_(vm),
        number_(number),
        spawn_(spawn),
        child_(std::move(child)) {}

  void visit(Process& p) override {
    if (spawn_.link) connection_->take_awaited_link(p.id, number_);
    Relations& r = p.relations();
    r.remote = true;
    if (spawn_.link) r.add_link(child_);
    if (spawn_.link && is_traced(p, traced::procs)) {
      FragmentHeap h(8);
      p.vm().hooks->trace_procs(p, am::link, term_of(child_, h));
    }
    if (spawn_.monitored) {
      Monitor m = spawn_.monitor;
      m.target = child_.take();
      if (!r.monitors.try_emplace(number_, m).second) m.target.release();
    }
    delete this;
  }
  void too_late() override {
    if (spawn_.monitored) {
      Signal* s = new_signal(SignalKind::demonitor);
      s->from = Address::of_local(spawn_.parent);
      s->ref = number_;
      route(vm_, child_, s);
    }
    if (spawn_.link) connection_->break_awaited_link(spawn_.parent, number_, child_);
    drop();
  }
  void drop() override {
    if (spawn_.monitor.tag_fragment) free_fragments(spawn_.monitor.tag_fragment);
    delete this;
  }

 private:
  ~NewChild() = default;
  const std::shared_ptr<Connection> connection_;
  Vm& vm_;
  const uint64_t number_;
  PendingSpawn spawn_;
  HeldAddress child_;
};
}  // namespace

void Connection::note_child(Address child, const HeldAddress& parent, bool link, uint64_t number,
                            const RefKey& ref) {
  std::lock_guard lock(lock_);
  if (link) relations_.link(child, parent);
  if (number) relations_.add_watched(number, {child, parent, kNil, ref});
}

bool start_child_of(const ChildRequest& r) {
  const Term* mfa = tuple_elements(r.mfa);
  const Term call[] = {mfa[0], mfa[1], r.args};
  if (!is_mfa(call) || list_length(r.options) < 0) return false;
  ChildOptions options(r.vm);
  ChildOfOther witness(r, options);
  if (!take_child_options(r.options, true, &options)) return witness.answer(am::badopt), true;
  options.spawn.witness = &witness;
  Term module = mfa[0], function = mfa[1], args = r.args;
  FragmentHeap h(8);
  if (list_length(args) > 255) {  // no function takes so many: the child finds that out
    args = cons(h, module, cons(h, function, cons(h, args, kNil)));
    module = am::erlang, function = am::apply;
  }
  if (is_fault(spawn_process(r.vm, nullptr, module, function, args, options.spawn))) {
    report_no_process(r.vm);
    witness.answer(am::system_limit);
  }
  return true;
}

void take_child(Connection& c, Vm& vm, Term ref, Term result, Term token) {
  const uint64_t number = ref_number(ref);
  PendingSpawn spawn;
  HeldAddress child = is_pid(result) ? address_of(result) : HeldAddress();
  if (!c.take_spawn(number, child, &spawn)) return;
  if (child && spawn.abandoned) {
    if (spawn.link) {
      c.say({.op = DistOp::payload_exit,
             .from = spawn.parent,
             .to = result,
             .payload = am::abandoned},
            spawn.parent);
    }
    if (spawn.monitored) {
      c.say({.op = DistOp::demonitor_p, .from = spawn.parent, .to = result, .ref = ref},
            spawn.parent);
    }
  }
  if (!spawn.abandoned && (child ? spawn.tell_success : spawn.tell_error)) {
    FragmentHeap h(24 + flat_size(spawn.tag) + flat_size(result));
    Signal* s = new_signal(SignalKind::message);
    // The reference as its owner knows it.
    const Term own = spawn.monitored && spawn.monitor.alias != AliasMode::none
                         ? make_alias_ref(h, number, spawn.parent)
                         : make_ref(h, number);
    s->term =
        tuple(h, copy_term(h, spawn.tag), own, child ? am::ok : am::error, copy_term(h, result));
    s->fragment = h.take_fragments();
    s->from = Address::of_local(c.node);
    if (is_value(token)) attach_token(vm, *s, token);
    route(vm, spawn.parent, s);
  }
  if (spawn.tag_fragment) free_fragments(spawn.tag_fragment);
  if (spawn.monitor.tag_fragment) free_fragments(spawn.monitor.tag_fragment);
}

bool Connection::take_spawn(uint64_t number, const HeldAddress& child, PendingSpawn* spawn) {
  NewChild* late = nullptr;
  {
    std::lock_guard lock(lock_);
    auto at = spawns_.find(number);
    if (at == spawns_.end()) return false;
    *spawn = at->second;
    spawns_.erase(at);
    if (!child || spawn->abandoned) {
      if (spawn->link) erase_awaited_link(find_awaited_link(spawn->parent, number));
      return true;
    }
    const Address parent = Address::of_local(spawn->parent);
    if (spawn->link) relations_.link(parent, child);
    if (spawn->monitored) relations_.monitors[number] = {parent, child};
    if (spawn->link || spawn->monitored) {
      auto* visit = new NewChild(shared_from_this(), dist_.vm(), number, *spawn, child);
      spawn->monitor.tag_fragment = nullptr;
      if (!route(dist_.vm(), spawn->parent, visit->new_signal_for())) late = visit;
    }
  }
  if (late) late->too_late();
  return true;
}

// --- links that are awaited ----------------------------------------------------------------------
Connection::AwaitedLinks::iterator Connection::find_awaited_link(Term parent, uint64_t number) {
  auto [at, end] = awaited_links_.equal_range(parent);
  at = std::find_if(at, end, [&](auto& link) { return link.second.number == number; });
  return at == end ? awaited_links_.end() : at;
}
void Connection::erase_awaited_link(AwaitedLinks::iterator at) {
  if (at == awaited_links_.end()) return;
  dist_.unmark(at->first);
  awaited_links_.erase(at);
}
void Connection::take_awaited_link(Term parent, uint64_t number) {
  std::lock_guard lock(lock_);
  erase_awaited_link(find_awaited_link(parent, number));
}

static void tell_of_end(Vm& vm, Term parent, const HeldAddress& child, Term reason) {
  Signal* s = new_signal(SignalKind::link_exit, reason);
  s->from = Address::of_local(parent);
  s->request = Request::token_stays;
  route(vm, child, s);
}
void Connection::break_awaited_link(Term parent, uint64_t number, const HeldAddress& child) {
  std::optional<HeldOutgoing> exit;
  {
    std::lock_guard lock(lock_);
    auto at = find_awaited_link(parent, number);
    if (at == awaited_links_.end()) return;
    if (!at->second.exit) {
      at->second.child = child;
      return;
    }
    exit.emplace(*std::move(at->second.exit));
    erase_awaited_link(at);
  }
  tell_of_end(dist_.vm(), parent, child, exit->get().payload);
}
void Connection::parent_ended(Term parent, Term reason) {
  std::vector<HeldAddress> children;
  {
    std::lock_guard lock(lock_);
    auto [at, end] = awaited_links_.equal_range(parent);
    while (at != end) {
      const auto link = at++;
      if (!link->second.child) {
        link->second.exit.emplace(Outgoing{.op = DistOp::payload_exit, .payload = reason});
        continue;
      }
      children.push_back(std::move(link->second.child));
      erase_awaited_link(link);
    }
  }
  for (const HeldAddress& child : children) tell_of_end(dist_.vm(), parent, child, reason);
}

// --- what programs ask ---------------------------------------------------------------------------
/// The options that the other node is to see: what is about the answer is ours.
static bool split_options(Term list, bool asynchronous, Heap& h, PendingSpawn* spawn, Term* tag,
                          MonitorOptions* monitor, Term* theirs) {
  bool right = true;
  ListBuilder kept(h);
  for (; is_cons(list); list = tail(list)) {
    Term option = head(list);
    const bool pair = is_tuple_of(option, 2);
    const Term key = pair ? tuple_elements(option)[0] : option;
    const Term value = pair ? tuple_elements(option)[1] : kNone;
    Reply reply;
    if (pair && key == am::reply && asynchronous) {
      right &= to_reply(value, &reply);
      spawn->tell_success = reply == Reply::yes || reply == Reply::success_only;
      spawn->tell_error = reply == Reply::yes || reply == Reply::error_only;
      continue;
    }
    if (pair && key == am::reply_tag && asynchronous) {
      *tag = value;
      continue;
    }
    if (option == am::link) spawn->link = true;
    if (key == am::monitor) {
      spawn->monitored = true;
      *monitor = {};
      if (pair) right &= to_monitor_options(value, monitor);
      option = am::monitor;
    }
    kept.add(option);
  }
  *theirs = kept.finish();
  return right && is_nil(list);
}

static void answer_at_once(Process& p, Term tag, Term ref, Term why) {
  push_signal(p, new_signal(SignalKind::message, tuple(p.heap, tag, ref, am::error, why)));
}
static void keep_tag(PendingSpawn* spawn, Term tag) {
  spawn->tag = tag;
  if (!is_pointer(tag)) return;
  FragmentHeap h(flat_size(tag));
  spawn->tag = copy_term(h, tag);
  spawn->tag_fragment = h.take_fragments();
}

BIF(erts_internal, dist_spawn_request, 4)
{
  if (!is_atom(a[0]) || !is_tuple_of(a[1], 3) || !is_mfa(tuple_elements(a[1]))) return am::badarg;
  if (list_length(a[2]) < 0) return am::badarg;
  Heap& h = p.heap;
  PendingSpawn spawn;
  spawn.parent = p.id;
  Term tag = am::spawn_reply, options;
  MonitorOptions monitor;
  const bool asynchronous = a[3] == am::spawn_request;
  const bool right = split_options(a[2], asynchronous, h, &spawn, &tag, &monitor, &options);
  p.vm().instance.nodes.note({a[0], 0});
  const uint64_t number = p.vm().next_ref_number();
  const Term ref = spawn.monitored ? monitor_ref(p, h, number, monitor.alias) : make_ref(h, number);
  const Term result = asynchronous ? ref : tuple(h, ref, make_bool(spawn.monitored));
  if (!right) {
    if (spawn.tell_error) answer_at_once(p, tag, ref, am::badopt);
    return result;
  }
  auto connection = p.vm().ports->distribution->connect(a[0]);
  if (connection) {
    keep_tag(&spawn, tag);
    if (spawn.monitored) spawn.monitor = new_monitor(monitor, HeldAddress());
    spawn.monitor.spawned = true;
    const Term* mfa = tuple_elements(a[1]);
    const Term length = make_small(list_length(mfa[2]));
    Outgoing o{.op = DistOp::spawn_request,
               .from = p.id,
               .to = group_leader_term(p, h),
               .ref = make_ref(h, number),
               .data = tuple(h, mfa[0], mfa[1], length),
               .options = options,
               .payload = mfa[2]};
    if (WB_UNLIKELY(may_have_token(p))) {
      const Term request = tuple(h, am::spawn_request, o.ref, p.id, o.to, o.data, options);
      o.token = seq_asked_elsewhere(p, h, a[0], request, mfa[2]);
    }
    if (connection->request_spawn(p, number, spawn, o)) return result;
    if (spawn.tag_fragment) free_fragments(spawn.tag_fragment);
    if (spawn.monitor.tag_fragment) free_fragments(spawn.monitor.tag_fragment);
  }
  const Term why = connection && connection->is_up() ? am::notsup : am::noconnection;
  if (spawn.tell_error) answer_at_once(p, tag, ref, why);
  return result;
}
BIF(erlang, spawn_request_abandon, 1)
{
  if (!is_ref(a[0])) return kBadarg;
  if (!is_local_ref(a[0])) return am::false_;
  return make_bool(p.vm().ports->distribution->abandon_spawn(ref_number(a[0]), p.id));
}

}  // namespace wb
