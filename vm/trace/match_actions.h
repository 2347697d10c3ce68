// The actions and functions of match specifications that are about tracing (match_functions.def).
#pragma once

#include "vm/ets/match_spec.h"
#include "vm/process/process.h"
#include "vm/trace/session.h"

namespace wb {

/// For running a specification in traced process `p`, for a listener: actions take effect. Without
/// it (erlang:match_spec_test/3) they only answer as if they did.
match::Context trace_context(Process& p, const Listener& listener);

}  // namespace wb
