// The functions a match specification can call.
#pragma once

#include "vm/ets/match_spec.h"

namespace wb::match {

/// Where functions of tracing may be called.
enum Where : uint8_t {
  kGuard = 1,
  kCall = 2,
  kSend = 4,
  kReceive = 8,
  kAny = kCall | kSend | kReceive,
};

struct FunctionInfo {
  Term name;
  uint8_t arity;
  uint8_t where;  ///< Where bits; 0: not a function of tracing
  Function function;
};

// Those of tracing (vm/trace/match_actions.cc).
#define TRACE_FUNCTION(name, arity, function, where) \
  Term function(Context& c, Heap& h, const Term* args);
#include "vm/ets/match_functions.def"

/// nullptr if there is none of this name and arity in this release.
const FunctionInfo* find_function(Term name, size_t arity);
/// True if `name` is a form that only the trace dialect has, of whatever arity.
bool is_trace_form(Term name);

}  // namespace wb::match
