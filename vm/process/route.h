// The one way a signal goes: route(machine, address, signal).
//
// An address is whoever can be reached (term/address.h), and the signal's kind does not matter
// here:
//
//   a process here     into its inbox (signal.h)
//   a port             VmHooks::push_to_port: handled at once, under the port's lock
//   a name             to whoever is registered under it now
//   another node       VmHooks::push_to_node: whoever has a connection to it takes the signal over.
//                      Without one the answer is that of a node that cannot be reached: who links
//                      or monitors is told `noconnection`, everything else is lost.
//
// So a link or a monitor is made first, whoever it goes to, and breaks by a signal as any other
// does. A pid or port that our own node had before it was started anew is nobody.
//
// Who has the process itself in hand pushes directly (push_signal): a reply to oneself, a timeout.
// A message of a process is not copied before it is known where it goes (send.h); from there on it
// comes along here or is pushed as well.
//
// Order: one sender's signals to one address arrive in the order in which they were routed; nothing
// more is promised, as on BEAM.
#pragma once

#include "term/address.h"
#include "vm/core/vm.h"
#include "vm/process/signal.h"
#include "vm/process/table.h"

namespace wb {

/// Whoever is not a process here. As route().
bool route_further(Vm& vm, Address to, Signal* s, uint8_t boost);

/// False: there is nobody (any more), and the signal was freed. `boost`: as push_signal's.
inline bool route(Vm& vm, Address to, Signal* s, uint8_t boost = 0) {
  Process* p = vm.processes->find(to);
  return WB_LIKELY(p != nullptr) ? push_signal(*p, s, boost) : route_further(vm, to, s, boost);
}
/// The same to a pid or port of this machine.
inline bool route(Vm& vm, Term local, Signal* s, uint8_t boost = 0) {
  return route(vm, Address::of_local(local), s, boost);
}

/// Can signals be routed there at all? (A monitor's target may be nobody, or the clock.)
inline bool takes_signals(Address a) { return a && !a.is_name(); }
/// A pid, port or reference of this node's name, from before it was started anew.
bool is_of_old_incarnation(Term t);
bool is_of_old_incarnation(Address a);
/// Ports of other nodes take no signals.
inline bool is_port_of_ours(Term t) {
  return is_local_port(t) || (is_port(t) && is_of_old_incarnation(t));
}

}  // namespace wb
