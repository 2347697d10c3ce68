// What happens to traced processes apart from calls. Each function is called where the event
// happens, when the process' flags say that somebody may want to know.
#pragma once

#include "vm/process/trace_flags.h"
#include "vm/trace/tracing.h"

namespace wb {

struct FunctionName;
struct Signal;

/// `message` is about to be sent to `to`, as the program wrote it; `exists`: there is a receiver.
void trace_send(Process& p, Term to, Term message, bool exists);
/// Message `s` gets into the queue of `p`.
void trace_receive(Process& p, const Signal& s);
void trace_timeout(Process& p);
/// link, unlink, getting_linked, getting_unlinked, exit, register, unregister: {trace, P, Tag,
/// What}
void trace_procs(Process& p, Term tag, Term what);
/// `child`, which has not begun, inherits what its parent is traced for; both events are reported.
void trace_new_process(Process* parent, Process& child, Term module, Term function, Term args,
                       bool linked);
/// Where a process that does not run goes on: {M,F,A}, or 0.
Term trace_location(Process& p, Heap& h);
void trace_in(Process& p);
void trace_out(Process& p);
/// One of both, of a process that seems to be elsewhere. By any thread.
void trace_turn(Process& p, Term tag, const FunctionName& where);
/// out_exiting, in_exiting: a process that ends yields; out_exited: it has ended.
void trace_exiting(Process& p, Term tag);
void trace_collection(Process& p, Term tag, size_t words);
/// One is over, for the observer: what it took, what it left.
void watch_collection(Process& p, bool major, uint64_t ticks, size_t words);

}  // namespace wb
