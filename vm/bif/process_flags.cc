// process_flag/2, group leaders, and small things a process asks of the machine.
#include <utility>

#include "loader/code_table.h"
#include "term/map.h"
#include "term/number.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/dist/distribution.h"
#include "vm/port/ports.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/options.h"
#include "vm/process/policies.h"
#include "vm/process/requests.h"
#include "vm/process/route.h"
#include "vm/process/saved_calls.h"
#include "vm/process/table.h"
#include "vm/process/trace_flags.h"

namespace wb {

// --- flags: each sets the new value and returns the old one, or a fault --------------------------
static Term set_bool(bool* flag, Term value) {
  if (value != am::true_ && value != am::false_) return kBadarg;
  return make_bool(std::exchange(*flag, value == am::true_));
}
static Term set_priority(Process& p, Term value) {
  Priority wanted;
  if (!to_priority(value, &wanted)) return kBadarg;
  auto old = static_cast<Priority>(p.priority.get());
  p.priority = static_cast<uint8_t>(wanted);
  return priority_atom(old);
}
static Term set_queue_data(Process& p, Term value) {
  if (value != am::on_heap && value != am::off_heap) return kBadarg;
  bool old = std::exchange(p.off_heap_messages, value == am::off_heap);
  return old ? am::off_heap : am::on_heap;
}
/// No program is shown less than BEAM's smallest.
static Term set_size(uint32_t* size, uint32_t smallest, Term value) {
  uint32_t wanted;
  if (!to_size(value, smallest, &wanted)) return kBadarg;
  return make_small(std::max(std::exchange(*size, wanted), smallest));
}
static Term set_fullsweep(Process& p, Term value) {
  uint32_t wanted;
  if (!to_limit(value, &wanted)) return kBadarg;
  return make_small(std::exchange(p.heap.fullsweep_after, static_cast<uint16_t>(wanted)));
}
static Term set_max_heap(Process& p, Term value) {
  RareParts& e = p.rare();
  Term old = max_heap_map(p.heap, max_heap_of(e));
  const HeapDefaults& d = p.vm().settings->heap;
  MaxHeap max{0, d.max_heap_kill, d.max_heap_log, d.max_heap_shared};
  if (!to_max_heap(value, &max)) return kBadarg;
  e.max_heap_size = max.words, e.max_heap_kill = max.kill, e.max_heap_log = max.log;
  e.max_heap_shared = max.shared;
  return old;
}
/// Goes on behind the call in another slice: the answer is there, but the time is up. What is left
/// of the slice is not charged.
static Term in_next_slice(Process& p, Term answer) {
  p.exec->slice -= p.exec->fc;
  p.exec->fc = 0;
  p.extras().reply = answer;
  return p.trap(p.vm().code->await_reply, {});
}
/// Binds it to one scheduler, which it goes on from; 0: to none.
static Term set_scheduler(Process& p, Term value) {
  uint32_t wanted;
  if (!to_limit(value, &wanted) || wanted > p.vm().scheduler->worker_count()) return kBadarg;
  if (policy_of(p).kind == PolicyKind::dedicated) return kBadarg;  // it has a thread of its own
  Term old = make_small(p.pinned ? p.home + 1 : 0);
  p.pinned = wanted != 0;
  if (wanted) p.home = static_cast<uint16_t>(wanted - 1);
  return in_next_slice(p, old);
}
static Term set_error_handler(Process& p, Term value) {
  if (!is_atom(value)) return kBadarg;
  return std::exchange(p.rare().error_handler, value);
}
static bool to_saved_calls(Term value, uint32_t* n) {
  return to_limit(value, n) && *n <= SavedCalls::kMost;
}
/// What of other nodes it wants to hear of and how (vm/dist/distribution.h): [] is
/// #{list => true}, and there may be a node_type, nodedown_reason and connection_id. -1: no such
/// options.
static int node_news_kind(Term t) {
  if (is_nil(t)) return node_news::list;
  if (!is_map(t)) return -1;
  int kind = 0;
  MapIterator i(t);
  for (Term key, value; i.next(&key, &value);) {
    if (key == am::node_type) {
      if (value != am::visible && value != am::hidden && value != am::all) return -1;
      if (value != am::hidden) kind |= node_news::visible;
      if (value != am::visible) kind |= node_news::hidden;
    } else if (key == am::list) {
      if (value != am::true_) return -1;
      kind |= node_news::list;
    } else if (key == am::nodedown_reason || key == am::connection_id) {
      if (value != am::true_ && value != am::false_) return -1;
      if (value != am::true_) continue;
      kind |= key == am::connection_id ? node_news::connection : node_news::reason;
    } else {
      return -1;
    }
  }
  return kind;
}
/// How often it wanted that before.
static Term set_monitor_nodes(Process& p, int kind, Term value) {
  if (kind < 0 || (value != am::true_ && value != am::false_)) return kBadarg;
  Distribution& d = *p.vm().ports->distribution;
  return make_small(d.set_node_news(p.id, static_cast<uint8_t>(kind), value == am::true_));
}

BIF(erlang, process_flag, 2)
{
  switch (a[0]) {
    case am::trap_exit:
      return set_bool(&p.trap_exit, a[1]);
    case am::priority:
      return set_priority(p, a[1]);
    case am::message_queue_data:
      return set_queue_data(p, a[1]);
    case am::min_heap_size:
      return set_size(&p.heap.min_heap_words, kMinHeapSize, a[1]);
    case am::min_bin_vheap_size:
      return set_size(&p.heap.min_bin_vheap_words, kMinBinVheapSize, a[1]);
    case am::fullsweep_after:
      return set_fullsweep(p, a[1]);
    case am::max_heap_size:
      return set_max_heap(p, a[1]);
    case am::error_handler:
      return set_error_handler(p, a[1]);
    case am::scheduler:
      return set_scheduler(p, a[1]);
    case am::sensitive:
      if (a[1] != am::true_ && a[1] != am::false_) return kBadarg;
      return make_bool(p.vm().hooks->mark(p, traced::sensitive, a[1] == am::true_));
    case am::monitor_nodes:
      return set_monitor_nodes(p, node_news_kind(kNil), a[1]);
    case am::async_dist:
      if (otp_release() < 26) break;
      return set_bool(&p.rare().async_dist, a[1]);
    case am::save_calls: {
      uint32_t n;
      return to_saved_calls(a[1], &n) ? make_small(set_saved_calls(p, n)) : p.badarg(am::none);
    }
    default:
      break;
  }
  if (is_tuple_of(a[0], 2) && tuple_elements(a[0])[0] == am::monitor_nodes) {
    return set_monitor_nodes(p, node_news_kind(tuple_elements(a[0])[1]), a[1]);
  }
  return p.badarg(am::badopt);
}
/// Of a process: save_calls only. The answer comes as {Ref, Old}.
BIF(erts_internal, process_flag, 3)
{
  if (!is_local_pid(a[0])) return am::badtype;
  if (a[1] != am::save_calls) return am::badarg;
  uint32_t n;
  if (!to_saved_calls(a[2], &n)) return am::badarg;
  if (a[0] == p.id) return make_small(set_saved_calls(p, n));
  Term ref = p.vm().new_ref(p.heap);
  Term query = tuple(p.heap, ref, am::save_calls, a[2]);
  send_request_by_message(p, p.id, a[0], Request::query, query);
  return ref;
}

// --- group leaders -------------------------------------------------------------------------------
BIF(erlang, group_leader, 0)
{
  return group_leader_term(p, p.heap);
}
/// true: done. false: the caller asks the process itself, by group_leader/3.
BIF(erts_internal, group_leader, 2)
{
  if (!is_pid(a[0]) || !is_pid(a[1])) return am::badarg;
  if (!is_local_pid(a[1])) {
    route(p.vm(), address_of(a[1]), new_signal(SignalKind::group_leader, a[0]));
    return am::true_;
  }
  if (a[1] != p.id) return am::false_;
  set_group_leader(p, a[0]);
  return am::true_;
}
BIF(erts_internal, group_leader, 3)
{
  if (!is_pid(a[0]) || !is_local_pid(a[1]) || !is_ref(a[2])) return kBadarg;
  send_request_by_message(p, p.id, a[1], Request::query,
                          tuple(p.heap, a[2], am::group_leader, a[0]));
  return am::ok;
}

// --- reductions ----------------------------------------------------------------------------------
BIF(erlang, bump_reductions, 1)
{
  uint32_t n;
  if (!to_limit(a[0], &n)) return kBadarg;
  constexpr int64_t kUsualSlice = 4000;  // a seeded run has shorter ones
  const int64_t left = std::max(p.reductions_left(), kUsualSlice - (p.exec->slice - p.exec->fc));
  p.charge(std::clamp<int64_t>(n, 0, std::max<int64_t>(left, 0)));
  return am::true_;
}
BIF(erlang, yield, 0)
{
  return in_next_slice(p, am::true_);
}

/// With as little memory as possible until there is a message; the stack stays.
BIF(erlang, hibernate, 0)
{
  return p.trap(p.vm().code->find_export(am::erlang, intern("hibernate in place"), 0), {});
}

}  // namespace wb
