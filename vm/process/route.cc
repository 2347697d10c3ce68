#include "vm/process/route.h"

#include "term/identifiers.h"

namespace wb {

bool is_of_old_incarnation(Term t) {
  return is_external(t) && node_of(t).name == local_node().name;
}
bool is_of_old_incarnation(Address a) {
  return a.is_remote() && node_of(a).name == local_node().name;
}

/// `s` is lost. To whom the sender wanted to be linked, or whom it wanted to watch, is gone for it.
static void answer_unreachable(Vm& vm, Address to, const Signal& s) {
  switch (s.kind) {
    case SignalKind::link: {
      Signal* broken = new_signal(SignalKind::link_exit, am::noconnection);
      to.retain();
      broken->from = to;
      broken->request = Request::token_stays;
      route(vm, s.from, broken);
      break;
    }
    case SignalKind::monitor: {
      Signal* down = new_signal(SignalKind::down, am::noconnection);
      to.retain();
      down->from = to;
      down->ref = s.ref;
      route(vm, s.from, down);
      break;
    }
    // Whoever sends these has forgotten the other side, or does not wait.
    case SignalKind::message:
    case SignalKind::alias_message:
    case SignalKind::priority_message:
    case SignalKind::alias_exit:
    case SignalKind::priority_exit:
    case SignalKind::exit:
    case SignalKind::link_exit:
    case SignalKind::unlink:
    case SignalKind::unlink_ack:
    case SignalKind::demonitor:
    case SignalKind::down:
    case SignalKind::group_leader:
    // These are for processes here.
    case SignalKind::timeout:
    case SignalKind::request:
    case SignalKind::reply:
    case SignalKind::suspend:
    case SignalKind::resume:
    case SignalKind::visit:
    case SignalKind::work_done:
      break;
  }
}

bool route_further(Vm& vm, Address to, Signal* s, uint8_t boost) {
  if (to.is_local_port()) return vm.hooks->push_to_port(to.local_term(), s);
  if (to.is_resource()) return vm.hooks->push_to_resource(to.local_term(), s);
  if (to.is_name()) {
    const Term who = vm.processes->whereis(to.local_term());
    if (is_value(who)) return route(vm, who, s, boost);
  }
  if (!to.is_remote() || is_of_old_incarnation(to)) {
    free_signal(s);
    return false;
  }
  if (vm.hooks->push_to_node(to, s)) return true;
  answer_unreachable(vm, to, *s);
  free_signal(s);
  return true;
}

}  // namespace wb
