// erlang:trace_pattern/3 on functions: which, and what is to be set on them.
#pragma once

#include "vm/trace/breakpoint.h"

namespace wb {

struct PatternChange {
  enum What : uint8_t { off, on, pause, restart } what = off;
  bool global = false, local = false, meta = false, count = false, watch = false;
  uint8_t costs = 0;   ///< bits of CallCost
  bool debug = false;  ///< erts_debug:breakpoint/2, of code only
  TraceSpecRef spec;
  Address meta_tracer;
  SessionId session = kUsualSession;
  std::shared_ptr<const void> meta_module;  ///< keeps it, if it is a module
};

/// `now` with the change made.
CallPatterns changed(CallPatterns now, const PatternChange& change);
/// Makes the change for all functions that match; how many these are.
int64_t change_patterns(Vm& vm, const FunctionPattern& which, const PatternChange& change);

/// What is set on a function.
struct FunctionState {
  bool exists = false;
  CallPatterns patterns;
  Breakpoint* counted = nullptr;  ///< has its counters
};
FunctionState function_state(Vm& vm, Term module, Term function, uint32_t arity,
                             SessionId session = kUsualSession);
/// Nothing is set by that session any more.
void forget_patterns(Vm& vm, SessionId session);

}  // namespace wb
