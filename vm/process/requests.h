// Requests that one process asks of another (is it alive, its process_info, collect ...): answered
// by the asked process itself when it handles its signals, so that they keep their place in the
// order. The asker traps into an instruction that waits for the reply (await_reply).
#pragma once

#include "vm/process/signal.h"

namespace wb {

/// Answers request `s` about the running process.
void handle_request(Exec& c, Signal& s);
/// Are collections that others ask for made now, or when they are allowed again? Was it so before?
bool hold_collections(Process& p, bool wait);
/// The process ends: those that waited are not made.
void drop_collections(Process& p);
/// Signal `s` reached a process that has ended: replies to its sender what that means.
void reply_too_late(Process& p, Signal& s);

/// From a BIF: asks `pid` and traps until the answer is there; it becomes the BIF's result. If
/// `pid` is gone, returns `if_gone` at once. `detail` is copied to the asked one.
Term send_request(Process& p, Term pid, Request request, Term detail, Term if_gone);
/// From a BIF: traps until every scheduler has passed a safe point (thread_progress.h); then
/// `result` (immediate) becomes the BIF's. `times`: so often, one after the other.
Term await_progress(Process& p, Term result, unsigned times = 1);
/// Suspends `p`, which runs, until then; its own scheduler has run another by then, if there is
/// one.
void suspend_until_passed(Process& p);
/// A query or task whose answer is a message to `requester`; so it is if `pid` is gone (and then
/// the result is false). A priority above normal boosts `pid` until it has answered.
bool send_request_by_message(Process& p, Term requester, Term pid, Request request, Term detail,
                             uint8_t priority);
inline bool send_request_by_message(Process& p, Term requester, Term pid, Request request,
                                    Term detail) {
  return send_request_by_message(p, requester, pid, request, detail, p.priority);
}

}  // namespace wb
