// Choosing and asking the policies of processes (policy.h).
#pragma once

#include <string_view>

#include "term/fault.h"
#include "vm/process/group.h"
#include "vm/process/oldest_first.h"
#include "vm/process/policy.h"

namespace wb {

class Heap;
struct SpawnOptions;

/// What policies of a machine share.
struct MachinePolicies {
  explicit MachinePolicies(Vm& vm) : oldest_first(vm) {}
  Groups groups;
  OldestFirst oldest_first;
  PolicyChoice usual;  ///< of processes that choose none
};

/// kNone, or what is wrong with it (option_faults.def).
Term to_policy(Term t, PolicyChoice* choice);
Term policy_term(Heap& h, PolicyChoice choice);
/// NAME or NAME:ARGUMENT, of a whole machine: there is no thread for each
/// process, so not `dedicated`. False: it is none.
bool parse_policy(std::string_view text, PolicyChoice* choice);

/// Policy and group of `p`, which nobody knows yet. False: there is no thread
/// for it.
bool give_policies(Process& p, const Process* parent, const SpawnOptions& options,
                   MachinePolicies& all);
PolicyChoice policy_of(const Process& p);

/// Before a slice of `c.p`.
Turn ask_policies(Exec& c, AfterSlice& end, bool may_wait);

}  // namespace wb
