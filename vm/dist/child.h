// Children on other nodes: those that others want here, and the answers about those of ours.
#pragma once

#include "vm/dist/connection.h"

namespace wb {

/// A request of another node: {ReqId, Parent, Leader, {M, F, Arity}, Options} and the arguments.
struct ChildRequest {
  Connection& connection;
  Vm& vm;
  Term ref, parent, leader, mfa, options, args;
  Term token;  ///< of sequential tracing; kNone: none
};
/// Starts the child, and answers before it begins. False: the request makes no sense.
bool start_child_of(const ChildRequest& r);

/// The answer to request `ref` of ours: a pid, or an atom that says why there is none.
void take_child(Connection& c, Vm& vm, Term ref, Term result, Term token);

}  // namespace wb
