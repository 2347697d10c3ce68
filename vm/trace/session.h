// Trace sessions (module `trace`, OTP 27): each has a tracer, flags of processes, patterns of
// functions and of messages of its own, and none sees another's.
//
// The usual session, that of erlang:trace/3, is as it was before there were others: its flags and
// its tracer are words of the process. A process that others trace, too, is marked
// (traced::in_sessions); then its word of flags is the union of all, which is what the places of
// events ask, and who wants what is in tables under Tracing's lock. What is set on a function is a
// record a session, in a chain that begins with the one in the code (breakpoint.h).
//
// A session is destroyed by session_destroy/1, or because nobody has its reference any more: that
// is noticed by the next event or call that looks at sessions, for the last share of a reference
// may go anywhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "term/address.h"
#include "term/fault.h"
#include "term/heap.h"

namespace wb {

using SessionId = uint32_t;
constexpr SessionId kUsualSession = 0;  ///< others: 1 and so on; programs see them from 0 on

/// Who is to know of an event, and how.
struct Listener {
  SessionId session;
  Address tracer;
  uint32_t flags;  ///< of this session
};

/// What a program's reference to a session keeps.
struct SessionLife {
  std::atomic<bool> over{false};
};

struct Session {
  Term name;
  Address tracer;
  std::shared_ptr<SessionLife> life;
  uint32_t new_flags = 0;                     ///< of processes to come
  std::unordered_map<Term, uint32_t> traced;  ///< flags, by pid
};

/// {Ref, {Name, Number}}, whose Ref keeps the session.
Term make_session_term(class Vm& vm, Heap& h, Term name, SessionId id,
                       std::shared_ptr<SessionLife> life);
/// {Name, Number}
Term weak_session_term(Heap& h, Term name, SessionId id);
/// The session that such a term is about, whether it is there or not; false: it is none.
bool to_session_id(Term t, SessionId* id);
/// Has `t` the reference, which stays valid when the session is gone?
bool is_strong_session(Term t);

}  // namespace wb
