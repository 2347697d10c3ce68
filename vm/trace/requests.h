// What programs ask of tracing, in one session: erlang:trace/3, trace_pattern/3, trace_info/2 are
// about the usual one, erts_internal:trace/4 and so on (module `trace`) about any.
#pragma once

#include "vm/process/process.h"
#include "vm/trace/session.h"

namespace wb {

Term trace_request(Process& p, SessionId session, Term who, Term how, Term flags);
Term pattern_request(Process& p, SessionId session, Term which, Term what, Term options);
Term info_request(Process& p, SessionId session, Term about, Term item);
/// What of the system a session's monitor wants to hear, as a list.
Term monitor_items(Process& p, SessionId session);
/// The sessions in which something is traced: of a process, a function, and so on.
Term sessions_request(Process& p, Term about);

}  // namespace wb
