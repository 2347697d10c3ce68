// The functions a match specification can call.
#pragma once

#include "vm/ets/match_spec.h"

namespace wb::match {

struct FunctionInfo {
  Term name;
  uint8_t arity;
  bool trace_only;
  Function function;
};

/// nullptr if there is none of this name and arity.
const FunctionInfo* find_function(Term name, size_t arity);
/// True if `name` is a form that only the trace dialect has, of whatever arity.
bool is_trace_form(Term name);

}  // namespace wb::match
