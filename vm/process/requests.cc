#include "vm/process/requests.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "loader/code_table.h"
#include "scheduler/scheduler.h"
#include "term/binary.h"
#include "term/print.h"
#include "vm/core/vm.h"
#include "vm/process/backtrace.h"
#include "vm/process/evict.h"
#include "vm/process/exec.h"
#include "vm/process/extra.h"
#include "vm/process/group_leader.h"
#include "vm/process/info.h"
#include "vm/process/relations.h"
#include "vm/process/route.h"
#include "vm/process/saved_calls.h"
#include "vm/process/send.h"
#include "vm/process/suspensions.h"
#include "vm/process/table.h"
#include "vm/process/visit.h"

namespace wb {

static void reply(Vm& vm, const Signal& request, Term answer) {
  Signal* r = new_signal(SignalKind::reply, answer);
  r->ref = request.ref;
  route(vm, request.from, r);
}

/// Made in a fragment of its own: a process that only waits must not grow by being looked at.
static void reply_info(Process& p, const Signal& request) {
  FragmentHeap h(64);
  Signal* r = new_signal(SignalKind::reply);
  r->term = process_info_items(p, h, request.term, false);
  r->fragment = h.take_fragments();
  r->ref = request.ref;
  if (!are_free_items(request.term)) ++p.reductions;
  route(p.vm(), request.from, r);
}

/// Answers query or task `s` by a message.
static void send_reply(Vm& vm, Address to, Request request, Term query, Term answer) {
  const Term* e = tuple_elements(query);
  FragmentHeap h(flat_size(query) + 8);
  bool task = request == Request::task;
  Term first = copy_term(h, e[0]);
  Term message = task ? tuple(h, first, copy_term(h, e[1]), answer) : tuple(h, first, answer);
  send_message(vm, to.local_term(), message);
}

static void print_backtrace(Process& p) {
  std::string text = backtrace_text(p, stopped(p));
  fwrite(text.data(), 1, text.size(), stderr);
}
static Term handle_query(Process& p, Address from, Term what, Term detail) {
  switch (what) {
    case am::is_process_alive:
      return am::true_;
    case am::group_leader:
      set_group_leader(p, detail);
      return am::true_;
    case am::save_calls:
      return make_small(set_saved_calls(p, static_cast<uint32_t>(small_value(detail))));
    case am::suspend:
      ++p.suspend_count;
      p.vm().suspensions->suspended(p.address(), from);
      return detail;
    case am::suspended:
      return detail;
    case am::backtrace:
      print_backtrace(p);
      return am::true_;
    default:
      return am::badarg;
  }
}
static Term query_gone(Term what, Term detail) {
  if (what == am::is_process_alive) return am::false_;
  if (detail == am::suspended) return am::exited;
  return what == am::save_calls ? am::badtype : am::badarg;
}
/// The collection itself is made before the process does anything else.
static Term handle_task(Process& p, Term type, Term detail) {
  if (type == am::check_process_code) return make_bool(uses_old_code(p, detail));
  if (type != am::garbage_collect) return am::true_;  // system_task_test: that it was handled
  p.collect_requested = true;
  if (detail == am::minor || rare_of(p)) p.rare().collect_minor = detail == am::minor;
  return am::true_;
}

static void hold_collection(Process& p, const Signal& request) {
  Signal* held = new_signal(SignalKind::request, request.term);
  held->from = request.from;
  p.extra->rare->waiting_collections.push_back(held);
}
static void reply_held_collections(Process& p, bool collect) {
  for (Signal* s : std::exchange(p.extra->rare->waiting_collections, {})) {
    const Term* e = tuple_elements(s->term);
    Term answer = collect ? handle_task(p, e[0], e[2]) : am::false_;
    send_reply(p.vm(), s->from, Request::task, s->term, answer);
    free_signal(s);
  }
}
bool hold_collections(Process& p, bool wait) {
  const bool before = std::exchange(p.rare().collections_wait, wait);
  if (!wait) reply_held_collections(p, true);
  return before;
}
void drop_collections(Process& p) {
  if (rare_of(p)) reply_held_collections(p, false);
}

void handle_request(Exec& c, Signal& s) {
  Process& p = *c.p;
  Vm& vm = p.vm();
  const Term* e = is_tuple(s.term) ? tuple_elements(s.term) : nullptr;
  switch (s.request) {
    case Request::none:
      break;
    case Request::is_alive:
      reply(vm, s, am::true_);
      break;
    case Request::info:
      reply_info(p, s);
      break;
    case Request::query:
      send_reply(vm, s.from, s.request, s.term, handle_query(p, s.from, e[1], e[2]));
      break;
    case Request::token:  // of messages
    case Request::token_stays:
      break;
    case Request::low_task:  // by now a task
    case Request::task:
      if (e[0] == am::copy_literals) return request_eviction(p, s);
      if (e[0] == am::garbage_collect && rare_of(p) && rare_of(p)->collections_wait)
        return hold_collection(p, s);
      send_reply(vm, s.from, Request::task, s.term, handle_task(p, e[0], e[2]));
      break;
  }
}
static void reply_gone(Vm& vm, Address to, Request request, Term query) {
  const Term* e = tuple_elements(query);
  Term task_gone = e[0] == am::copy_literals ? am::ok : am::false_;
  send_reply(vm, to, request, query, request == Request::task ? task_gone : query_gone(e[1], e[2]));
}

void reply_too_late(Process& p, Signal& s) {
  Vm& vm = p.vm();
  switch (s.kind) {
    case SignalKind::link: {
      if (is_linked(p, s.from)) break;  // has the reason as all who are linked
      Signal* r = new_signal(SignalKind::link_exit, am::noproc);
      r->from = p.address();
      r->request = Request::token_stays;
      route(vm, s.from, r);
      break;
    }
    case SignalKind::unlink:
      handle_unlink(p, s.from, s.ref);
      break;
    case SignalKind::monitor: {
      Signal* r = new_signal(SignalKind::down, am::noproc);
      r->from = p.address();
      r->ref = s.ref;
      route(vm, s.from, r);
      break;
    }
    case SignalKind::visit:
      Visit::of(s).too_late();
      break;
    case SignalKind::request:
      if (s.request == Request::query) {
        reply_gone(vm, s.from, s.request, s.term);
      } else if (s.request == Request::task || s.request == Request::low_task) {
        reply_gone(vm, s.from, Request::task, s.term);
      } else {
        reply(vm, s, s.request == Request::info ? am::undefined : am::false_);
      }
      break;
    case SignalKind::work_done:
      p.waiting_for = WaitFor::nothing;
      break;
    case SignalKind::message:
    case SignalKind::alias_message:
    case SignalKind::priority_message:
    case SignalKind::alias_exit:
    case SignalKind::priority_exit:
    case SignalKind::exit:
    case SignalKind::link_exit:
    case SignalKind::unlink_ack:
    case SignalKind::demonitor:
    case SignalKind::down:
    case SignalKind::timeout:
    case SignalKind::group_leader:
    case SignalKind::reply:
    case SignalKind::suspend:
    case SignalKind::resume:
      break;  // nobody waits for an answer
  }
}

Term send_request(Process& p, Term pid, Request request, Term detail, Term if_gone) {
  Signal* s = new_signal(SignalKind::request, detail);
  s->request = request;
  s->from = p.address();
  s->ref = p.vm().next_ref_number();
  ProcessExtra& extra = p.extras();
  extra.awaited = s->ref;
  extra.reply = kNone;
  if (!route(p.vm(), pid, s, p.priority)) {
    extra.awaited = 0;
    return if_gone;
  }
  return p.trap(p.vm().code->await_reply, {});
}

namespace {
struct Awaiting {
  Vm& vm;
  Term pid, result;
  uint64_t ref;
  unsigned times;

  static void passed(void* self) {
    std::unique_ptr<Awaiting> a(static_cast<Awaiting*>(self));
    if (--a->times) {
      Scheduler& scheduler = *a->vm.scheduler;
      return scheduler.when_all_passed(a.release(), passed);
    }
    Signal* r = new_signal(SignalKind::reply, a->result);
    r->ref = a->ref;
    route(a->vm, a->pid, r);
  }
};
}  // namespace

Term await_progress(Process& p, Term result, unsigned times) {
  ProcessExtra& extra = p.extras();
  extra.awaited = p.vm().next_ref_number();
  extra.reply = kNone;
  auto* awaiting = new Awaiting{p.vm(), p.id, result, extra.awaited, times};
  p.vm().scheduler->when_all_passed(awaiting, Awaiting::passed);
  return p.trap(p.vm().code->await_reply, {});
}

namespace {
struct Resuming {
  Vm& vm;
  Term pid;
  bool again;

  static void passed(void* self) {
    std::unique_ptr<Resuming> r(static_cast<Resuming*>(self));
    Vm& vm = r->vm;
    if (std::exchange(r->again, false)) return vm.scheduler->when_all_passed(r.release(), passed);
    route(vm, r->pid, new_signal(SignalKind::resume));
  }
};
}  // namespace

void suspend_until_passed(Process& p) {
  push_signal(p, new_signal(SignalKind::suspend));
  p.vm().scheduler->when_all_passed(new Resuming{p.vm(), p.id, true}, Resuming::passed);
}

bool send_request_by_message(Process& p, Term requester, Term pid, Request request, Term detail,
                             uint8_t priority) {
  Signal* s = new_signal(SignalKind::request, detail);
  const bool low = request == Request::task && priority == static_cast<uint8_t>(Priority::low);
  s->request = low ? Request::low_task : request;
  s->from = Address::of_local(requester);
  if (route(p.vm(), pid, s, priority)) return true;
  reply_gone(p.vm(), Address::of_local(requester), request, detail);
  return false;
}

}  // namespace wb
