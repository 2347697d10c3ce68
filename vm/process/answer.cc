#include "vm/process/answer.h"

#include "loader/code_server.h"
#include "vm/interp/exec.h"
#include "vm/process/extra.h"
#include "vm/process/info.h"
#include "vm/process/relations.h"
#include "vm/process/table.h"
#include "vm/vm.h"

namespace wb {

static void reply(Vm& vm, const Signal& request, Term answer) {
  Signal* r = new_signal(SignalKind::reply, answer);
  r->ref = request.ref;
  push_signal(vm, request.from, r);
}

void answer_request(Exec& c, Signal& s) {
  Process& p = *c.p;
  switch (s.request) {
    case Request::none: break;
    case Request::is_alive: reply(p.vm(), s, am::true_); break;
    case Request::info: reply(p.vm(), s, process_info_items(p, p.heap, s.term)); break;
    case Request::suspend:
      ++p.suspend_count;
      reply(p.vm(), s, am::true_);
      break;
    case Request::collect:
      p.collect_requested = true;
      reply(p.vm(), s, am::true_);
      break;
    case Request::check_code: reply(p.vm(), s, make_bool(uses_old_code(p, s.term))); break;
  }
}

void answer_too_late(Process& p, Signal& s) {
  Vm& vm = p.vm();
  switch (s.kind) {
    case SignalKind::link: {
      Signal* r = new_signal(SignalKind::link_exit, am::noproc);
      r->from = p.id;
      push_signal(vm, s.from, r);
      break;
    }
    case SignalKind::monitor: {
      Signal* r = new_signal(SignalKind::down, am::noproc);
      r->from = p.id;
      r->ref = s.ref;
      push_signal(vm, s.from, r);
      break;
    }
    case SignalKind::request:
      reply(vm, s, s.request == Request::info || s.request == Request::suspend ? am::undefined
                                                                              : am::false_);
      break;
    default: break;
  }
}

Term ask(Process& p, Term pid, Request request, Term detail, Term if_gone) {
  Signal* s = new_signal(SignalKind::request, detail);
  s->request = request;
  s->from = p.id;
  s->ref = p.vm().next_ref_number();
  ProcessExtra& extra = p.rare();
  extra.awaited = s->ref;
  extra.reply = kNone;
  if (!push_signal(p.vm(), pid, s)) {
    extra.awaited = 0;
    return if_gone;
  }
  return p.trap(p.vm().code->await_reply, {});
}

}  // namespace wb
