// One trace message: {trace, Tracee, Tag, ...}, {trace_ts, ..., Timestamp}.
#pragma once

#include <initializer_list>
#include <vector>

#include "vm/process/process.h"
#include "vm/process/trace_flags.h"
#include "vm/trace/session.h"

namespace wb {

/// Who else, who is alive, traces `p` for one of `flags`? In each session the tracer, or nobody.
std::vector<Listener> listeners(Process& p, uint32_t flags);
/// What it wants of `p` now.
uint32_t flags_now(Process& p, const Listener& l);

/// Sends {trace, Tracee, Tag, Data...} as the flags of `p` say. `extra`, if any, is what a match
/// specification's `message` action gave.
void send_trace_message(Process& p, Address tracer, uint32_t flags, Term tag,
                        std::initializer_list<Term> data, Term extra = kNone);

/// The same of whatever `about` is, to a process or port.
void send_trace_message(Vm& vm, Term about, Address tracer, uint32_t flags, Term tag,
                        std::initializer_list<Term> data, Term extra = kNone);

}  // namespace wb
