// The group leader of a process: a pid here or on another node.
//
// Process::group_leader holds the word of its address (term/address.h), which for anybody here is
// the pid itself. A leader on another node is counted.
#pragma once

#include "term/address.h"
#include "vm/process/process.h"

namespace wb {

inline Address group_leader_of(const Process& p) { return Address::of_local(p.group_leader.get()); }
inline Term group_leader_term(const Process& p, Heap& h) { return term_of(group_leader_of(p), h); }
/// By the process itself, or before it begins. `leader`: a pid.
inline void set_group_leader(Process& p, HeldAddress leader) {
  const Address before = group_leader_of(p);
  p.group_leader = leader.take().word();
  before.release();
}
inline void set_group_leader(Process& p, Term leader) { set_group_leader(p, address_of(leader)); }

}  // namespace wb
