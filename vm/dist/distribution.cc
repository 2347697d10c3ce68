#include "vm/dist/distribution.h"

#include <algorithm>
#include <utility>

#include "loader/code_table.h"
#include "term/dist_atoms.h"
#include "term/identifiers.h"
#include "term/map.h"
#include "vm/core/vm.h"
#include "vm/ets/persistent_terms.h"
#include "vm/port/ports.h"
#include "vm/process/report.h"
#include "vm/process/route.h"
#include "vm/process/send.h"

namespace wb {

bool Distribution::is_alive() { return local_node().name != am::nonode_at_nohost; }
bool Distribution::may_connect() const {
  if (is_alive()) return true;
  FragmentHeap h(3);  // what erts_internal:dynamic_node_name/1 puts
  const Term on = vm_.persistent_terms->get(tuple(h, am::erts_internal, am::dynamic_node_name));
  return is_value(on) && on != am::false_;
}

bool Distribution::set_node(NodeName name) {
  const Term kernel = vm_.processes->registered(am::net_kernel);
  if (!is_local_pid(kernel)) return false;
  kernel_.store(kernel);
  mark(kernel);
  set_local_node(name);
  return true;
}

// --- connections ---------------------------------------------------------------------------------
std::shared_ptr<Connection> Distribution::find(Term node) {
  std::lock_guard lock(lock_);
  auto at = connections_.find(node);
  return at == connections_.end() ? nullptr : at->second;
}

std::shared_ptr<Connection> Distribution::add_pending(Term node) {
  auto c = std::make_shared<Connection>(*this, node, next_id_++, vm_.next_ref_number());
  connections_[node] = c;
  return c;
}

std::shared_ptr<Connection> Distribution::begin_connection(Term node) {
  std::lock_guard lock(lock_);
  auto at = connections_.find(node);
  return at == connections_.end() ? add_pending(node) : at->second;
}

std::shared_ptr<Connection> Distribution::connect(Term node) {
  if (!is_alive()) return nullptr;
  std::shared_ptr<Connection> c;
  {
    std::lock_guard lock(lock_);
    auto at = connections_.find(node);
    if (WB_LIKELY(at != connections_.end())) return at->second;
    const Term kernel = vm_.processes->registered(am::net_kernel);
    if (!is_local_pid(kernel)) return nullptr;
    c = add_pending(node);
    FragmentHeap h(16);
    Signal* s = new_signal(SignalKind::message);
    s->term = tuple(h, am::auto_connect, node, handle(h, c));
    s->fragment = h.take_fragments();
    route(vm_, kernel, s);
  }
  return c;
}

std::vector<std::shared_ptr<Connection>> Distribution::all() {
  std::vector<std::shared_ptr<Connection>> found;
  {
    std::lock_guard lock(lock_);
    for (auto& [node, c] : connections_) found.push_back(c);
  }
  std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a->id > b->id; });
  return found;
}
std::vector<std::shared_ptr<Connection>> Distribution::all_up() {
  auto found = all();
  std::erase_if(found, [](auto& c) { return !c->is_up(); });
  return found;
}

bool Distribution::is_controller(Term t) {
  for (auto& c : all_up()) {
    if (c->controller() == t) return true;
  }
  return false;
}

// --- handles -------------------------------------------------------------------------------------
namespace {
struct DistHandle final : OffHeapObject {
  explicit DistHandle(std::shared_ptr<Connection> c) : connection(std::move(c)) {
    destroy = destroyed;
  }
  static void destroyed(OffHeapObject* o) { delete static_cast<DistHandle*>(o); }
  const std::shared_ptr<Connection> connection;
};
}  // namespace

Term Distribution::handle(Heap& h, const std::shared_ptr<Connection>& c) {
  Term* p = h.alloc(5);  // as Vm::new_magic_ref, one number for all of a connection
  p[0] = make_header(Kind::magic_ref, 4, 0);
  p[1] = reinterpret_cast<Word>(static_cast<OffHeapObject*>(new DistHandle(c)));
  p[3] = c->handle_number | kMagicNumber;
  p[4] = 0;
  h.link_off_heap(p, 0);
  return tuple(h, make_small(c->id), make_boxed(p));
}
std::shared_ptr<Connection> Distribution::of_handle(Term handle) {
  if (!is_tuple_of(handle, 2)) return nullptr;
  const Term ref = tuple_elements(handle)[1];
  if (!is_kind(ref, Kind::magic_ref)) return nullptr;
  OffHeapObject* o = magic_object(ref);
  if (o->destroy != DistHandle::destroyed) return nullptr;
  return static_cast<DistHandle*>(o)->connection;
}

// --- signals and messages ------------------------------------------------------------------------
/// Is it worth a connection? What is about a relation is told to the one over which that is.
static bool wants_connection(SignalKind kind) {
  return kind == SignalKind::message || kind == SignalKind::exit || kind == SignalKind::link ||
         kind == SignalKind::monitor || kind == SignalKind::group_leader;
}
bool Distribution::push(Address to, Signal* s) {
  const Term node = node_of(to).name;
  auto c = wants_connection(s->kind) ? connect(node) : find(node);
  if (!c || !c->send_signal(to, *s)) return false;
  free_signal(s);
  return true;
}

Term Distribution::send(Process& from, Term to, Term message, const SendOptions& options) {
  if (is_of_old_incarnation(to)) {
    if (!is_ref(to)) report_old_incarnation(from, to, message);
    return am::ok;
  }
  const bool named = is_tuple(to);
  const Term node = named ? tuple_elements(to)[1] : node_of(to).name;
  auto c = options.noconnect ? find(node) : connect(node);
  if (!c) {
    if (named) vm_.instance.nodes.note({node, 0});
    return options.noconnect ? am::noconnect : am::ok;
  }
  Outgoing o{.op = DistOp::send_sender, .from = from.id, .to = to, .payload = message};
  if (named) o.op = DistOp::reg_send, o.to = tuple_elements(to)[0];
  if (is_ref(to)) o.op = DistOp::alias_send, o.ref = to;
  return c->send(from, o, options.nosuspend);
}

Term Distribution::exit(Process& from, Term to, Term reason) {
  auto c = connect(node_of(to).name);
  if (!c) return am::ok;
  return c->send(from, {.op = DistOp::payload_exit2, .from = from.id, .to = to, .payload = reason},
                 false);
}
void Distribution::await_room(Process& p, Address to) {
  if (auto c = find(node_of(to).name)) c->await_room(p);
}

Term Distribution::after_signal(Process& p, Address to, Term result) {
  if (WB_LIKELY(!to.is_remote())) return result;
  auto c = find(node_of(to).name);
  if (!c || !c->is_busy_for(p)) return result;
  return p.trap(vm_.code->export_entry(am::erlang, am::bif_return_trap, 2), {result, c->node});
}

bool Distribution::abandon_spawn(uint64_t number, Term parent) {
  for (auto& c : all()) {
    if (c->abandon_spawn(number, parent)) return true;
  }
  return false;
}

// --- who wants to know ---------------------------------------------------------------------------
uint32_t Distribution::set_node_news(Term pid, uint8_t kind, bool on) {
  std::lock_guard lock(lock_);
  const auto same = [&](const News& n) { return n.pid == pid && n.kind == kind; };
  const auto before = std::count_if(news_.begin(), news_.end(), same);
  if (on) {
    news_.push_back({pid, kind});
    mark(pid);
  } else {
    std::erase_if(news_, same);
  }
  return static_cast<uint32_t>(before);
}
Term Distribution::node_news(Heap& h) {
  constexpr struct {
    uint8_t bit;
    Term option;
  } kOptions[] = {{node_news::reason, am::nodedown_reason},
                  {node_news::connection, am::connection_id},
                  {node_news::visible, am::visible},
                  {node_news::hidden, am::hidden}};
  std::lock_guard lock(lock_);
  Term list = kNil;
  for (const News& n : news_) {
    Term options = kNil;
    for (auto& [bit, option] : kOptions) {
      if (n.kind & bit) options = cons(h, option, options);
    }
    list = cons(h, tuple(h, n.pid, options), list);
  }
  return list;
}

/// The third element of the message, as a list or a map.
static Term node_facts(Heap& h, Connection& c, uint8_t kind, bool up, Term reason, Term id) {
  Term pairs[6];
  size_t n = 0;
  auto add = [&](Term key, Term value) { pairs[2 * n] = key, pairs[2 * n + 1] = value, ++n; };
  if (kind & node_news::connection) add(am::connection_id, id);
  if (kind & (node_news::visible | node_news::hidden)) {
    add(am::node_type, c.is_visible() ? am::visible : am::hidden);
  }
  if (kind & node_news::reason && !up) add(am::nodedown_reason, copy_term(h, reason));
  if (!(kind & node_news::list)) return map_from_pairs(h, pairs, n);
  Term list = kNil;
  for (size_t k = 0; k < n; ++k) {
    list = cons(h, tuple(h, pairs[2 * k], pairs[2 * k + 1]), list);
  }
  return list;
}

/// Under lock_.
void Distribution::tell_of_node(Connection& c, bool up, Term reason) {
  const uint8_t type = c.is_visible() ? node_news::visible : node_news::hidden;
  constexpr uint8_t kTypes = node_news::visible | node_news::hidden;
  for (auto& [pid, kind] : news_) {
    const uint8_t wanted = kind & kTypes ? kind & kTypes : uint8_t{node_news::visible};
    if (!(wanted & type)) continue;
    FragmentHeap h(32 + flat_size(reason));
    const Term tag = up ? am::nodeup : am::nodedown;
    Signal* s = new_signal(SignalKind::message);
    if (kind == node_news::list) {
      s->term = tuple(h, tag, c.node);
    } else {
      s->term = tuple(h, tag, c.node, node_facts(h, c, kind, up, reason, make_small(c.id)));
    }
    s->fragment = h.take_fragments();
    route(vm_, pid, s);
  }
}

void Distribution::came_up(Connection& c) {
  std::lock_guard lock(lock_);
  tell_of_node(c, true, am::undefined);
}
void Distribution::went_down(Connection& c, bool was_up, Term reason) {
  std::lock_guard lock(lock_);
  auto at = connections_.find(c.node);
  if (at != connections_.end() && at->second.get() == &c) connections_.erase(at);
  if (was_up) tell_of_node(c, false, reason == am::normal ? am::connection_closed : reason);
}

void Distribution::release_ports() {
  for (auto& [node, c] : connections_) c->release_port();
}

void Distribution::process_ended(Term pid, Term reason) {
  {
    std::lock_guard lock(lock_);
    std::erase_if(news_, [&](const News& n) { return n.pid == pid; });
  }
  for (auto& c : all()) c->parent_ended(pid, reason);
  if (is_tuple_of(reason, 2) && tuple_elements(reason)[0] == am::shutdown) {
    reason = tuple_elements(reason)[1];
  }
  const bool kernel = kernel_.load() == pid;
  for (auto& c : all()) {
    if (kernel)
      c->end(am::net_kernel_terminated);
    else if (c->is_up() && c->controller() == pid)
      c->end(reason);
    else
      c->forget_watcher(pid);
  }
  if (kernel && kernel_.exchange(kNone) == pid) set_local_node({am::nonode_at_nohost, 0});
}

}  // namespace wb
