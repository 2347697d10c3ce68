#include "vm/process/child_options.h"

#include "scheduler/scheduler.h"
#include "term/instance.h"
#include "term/lists.h"
#include "term/map.h"
#include "term/policy_atoms.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/process/policies.h"
#include "vm/process/run.h"

namespace wb {

ChildOptions::ChildOptions(Vm& vm, const Process* parent)
    : schedulers(vm.scheduler->worker_count()), parent(parent) {
  const HeapDefaults& d = vm.settings->heap;
  if (WB_LIKELY(!d.changed.load(std::memory_order_relaxed))) return;
  spawn.min_heap_size = d.min_heap_size;
  spawn.min_bin_vheap_size = d.min_bin_vheap_size;
  spawn.fullsweep_after = d.fullsweep_after;
  spawn.off_heap_messages = d.off_heap_messages;
  spawn.policy = vm.host->policies->usual;
  max_heap = {d.max_heap_size, d.max_heap_kill, d.max_heap_log, d.max_heap_shared};
  limit_heap(max_heap);
}

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

/// {mailbox, Limit} or {mailbox, #{limit := Limit, when_full => Policy}}.
static bool take_mailbox(Term t, SpawnOptions* s) {
  Term limit = t, policy = am::wait;
  if (is_map(t)) {
    limit = map_get(t, am::limit);
    if (const Term given = map_get(t, am::when_full); is_value(given)) policy = given;
    if (is_fault(limit)) return false;
  }
  if (!is_small(limit) || small_value(limit) < 1 || small_value(limit) > INT32_MAX) return false;
  s->mailbox_limit = static_cast<uint32_t>(small_value(limit));
  switch (policy) {
#define MAILBOX_POLICY(name, what) \
  case am::name:                   \
    s->when_full = WhenFull::name; \
    return true;
#include "vm/process/mailbox_policies.def"
    default:
      return false;
  }
}
/// A group that `parent` may put a child into.
static Term take_group(Term t, const Process* parent, SpawnOptions* s) {
  s->group = Group::of(t);
  if (!s->group) return am::not_a_group;
  const Group* own = parent ? group_of(*parent) : nullptr;
  return !own || s->group->is_within(*own) ? kNone : am::not_below_own_group;
}
/// kNone, or what is wrong with it.
static Term take_own_option(Term key, Term value, const Process* parent, SpawnOptions* s) {
  switch (key) {
    case am::mailbox:
      return take_mailbox(value, s) ? kNone : am::not_a_mailbox;
    case am::group:
      return take_group(value, parent, s);
    case am::policy:
      return to_policy(value, &s->policy);
    default:
      return am::not_an_own_option;
  }
}
/// What this machine has beyond OTP's: {whitebeam, Options}.
static bool take_own_options(Term list, ChildOptions* r) {
  Term wrong = kNone;
  for (; is_cons(list) && wrong == kNone; list = tail(list)) {
    if (!is_tuple_of(head(list), 2)) break;
    const Term* e = tuple_elements(head(list));
    wrong = take_own_option(e[0], e[1], r->parent, &r->spawn);
  }
  if (wrong == kNone && !is_nil(list)) wrong = am::not_an_own_option;
  if (wrong != kNone) r->fault = wrong;
  return wrong == kNone;
}

static bool take_pair(Term key, Term value, bool asynchronous, ChildOptions* r) {
  SpawnOptions& s = r->spawn;
  switch (key) {
    case am::monitor:
      r->monitored = true;
      r->monitor = {};  // the last one counts, all of it
      return to_monitor_options(value, &r->monitor);
    case am::link:
      s.priority_link = false;
      s.link = otp_release() >= 28 && to_priority_option(value, &s.priority_link);
      return s.link;
    case am::priority:
      return to_priority(value, &s.priority);
    case am::message_queue_data:
      s.off_heap_messages = value == am::off_heap;
      return value == am::off_heap || value == am::on_heap;
    case am::async_dist:
      s.async_dist = value == am::true_;
      return otp_release() >= 26 && (value == am::true_ || value == am::false_);
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
    case am::whitebeam:
      return take_own_options(value, r);
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

bool take_child_options(Term list, bool asynchronous, ChildOptions* r) {
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

}  // namespace wb
