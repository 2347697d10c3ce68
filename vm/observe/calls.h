// Who waits for whom: a process inside a call (gen_server:call, Task.await, erpc:call ...) waits in
// a receive for what a monitor's reference marks, and the monitor says whose answer that is.
//
// How it is known. While a process waits in a receive, its innermost frame keeps what the receive
// compares with. A reference there that is one of its monitors is the one of a call, if it is an
// alias, too (whoever is called answers to it), or if a receive marker was bound to it (the
// compiler has seen that the receive takes nothing else). That of a server
// that watches others is neither. Only the process itself can look, so it is asked
// (process_query.h).
//
// Whom to ask. A million processes cannot all be asked each second, so a pass over the table picks
// those that wait in a function which uses a receive marker, or in one of awaiting.def, whose
// reference was made elsewhere: their code says so, whatever they do otherwise. Of more than
// kMostAsked another part is asked each time; whom they wait for is asked after them, so a chain
// is whole wherever it was found.
//
// What is a warning. Each waits for one other at most, so who waits is a forest with cycles. The
// answers are of different moments: a cycle is one only if all of its members say a second time
// that they wait for the same answers. Then there was a moment, between the two, at which all of
// them did. A chain is one if somebody in it waits who is waited for, and its end has let them
// wait for kLongCall.
//
// Rejected: noting the callee in the process when it parks (each receive of the machine would pay).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "term/fault.h"
#include "term/term.h"

namespace wb {

class JsonWriter;
class Observer;
class Process;
class ProcessQuery;
class Vm;

/// What a process says of the call that it is in, at the beginning of its text; JSON follows.
struct CallMark {
  Term callee = kNone;  ///< of this node; kNil: of another
  uint64_t reference = 0;
  uint64_t age_ns = 0;
};

/// The call that `p` is in, as fields: callee, callee_name, call_age_ns, call_left_ns if it has a
/// time-out, call_fn, call_file, call_line (of who called a behaviour's function). Of itself.
/// False: it is in none.
bool write_call(JsonWriter& w, Process& p, CallMark* mark = nullptr);
/// A CallMark and these fields; nothing if it is in no call.
void report_call(Process& p, ProcessQuery& q);

/// Does the code at a place wait for an answer? Of functions, each looked at once.
class AwaitingCode {
 public:
  explicit AwaitingCode(Vm& vm) : vm_(vm) {}
  bool at(const Word* pc);  ///< inside a ReaderGuard

 private:
  bool look(const Word* pc) const;
  Vm& vm_;
  std::unordered_map<const Word*, bool> known_;
  const Word* last_pc_ = nullptr;
  bool last_ = false;
};

/// A cycle, or a chain that is a warning.
struct CallTrouble {
  std::vector<Term> members;  ///< each waits for the next, the last for `end`
  Term end = kNone;           ///< kNone: the last waits for the first, whose call is the oldest
  size_t waiting = 0;         ///< all who wait for the end
  uint64_t age_ns = 0;        ///< of the call of a cycle's first, of a chain's last
  std::string call;           ///< its fields
};
constexpr size_t kMostAwaiting = 2000;
/// `awaiting`: at most so many that stand in such code.
std::vector<CallTrouble> find_call_trouble(Observer& o, std::vector<Term> awaiting);

}  // namespace wb
