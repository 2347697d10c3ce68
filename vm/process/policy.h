// When a process runs.
//
// The scheduler runs who is runnable in the order in which it became so. A policy says otherwise
// for one process; it is chosen when the process is spawned ({whitebeam, [{policy, P}]}, or for
// all of a machine by --policy) and stays as long as it. The kinds are those of policies.def, and
// the budgets of a group (group.h) are one more. Not by process but by machine there is the
// caller's thread: an embedded machine without threads, in which everything runs while the
// program steps it (scheduler/stepper.h).
//
// A policy is asked before each slice, and answers
//   runs    the slice begins
//   waits   the process handles its signals but runs no code: the policy has suspended it (++
//           suspend_count) and will send it `resume`
//   held    nothing of it happens, not even signals: the policy has it, as a queue would, and
//           calls Scheduler::enqueue() for it once
// It is told when the slice is over, if it asked for that (call_after_slice),
// when the queue or the heap of the process has changed, and when the process
// ends; and it may have the process wait where it sends. A slice that must go
// on whatever the policy says (a collection in several steps, an exit) is
// reported, but not refused.
//
// Threads: the worker that runs the process calls all of it, and nobody at the
// same time; but for stamp(), and for after_slice(), which comes when the
// process may be running elsewhere, or be gone (unless it ends in
// After::requeue).
//
// A process without a policy pays nothing: whether there is one is a bit of Runnable::special,
// which every slice looks at, and policies stand in RareParts, made before the process is in
// the table and never changed.
//
// Rejected: a run queue a policy (each of them would steal, balance and count anew; what a policy
// holds back is rarely much); a policy that picks among all runnables (a lock for all slices).
#pragma once

#include <cstdint>
#include <memory>

#include "scheduler/after.h"

namespace wb {

class AfterSlice;
class Process;
struct Exec;
struct Signal;

/// In Runnable::special: it has policies. Beside Process::kNativeYield, kMeasured and kUndecoded.
constexpr uint8_t kHasPolicies = 8;

enum class PolicyKind : uint8_t {
#define POLICY(name, term, pattern, promise) name,
#include "vm/process/policies.def"
};
/// What {policy, _} says.
struct PolicyChoice {
  PolicyKind kind = PolicyKind::usual;
  uint32_t argument = 0;  ///< milliseconds or messages
};

enum class Turn : uint8_t { runs, waits, held };

class Policy : public std::enable_shared_from_this<Policy> {
 public:
  virtual ~Policy() = default;
  /// `c.p` is to run. `may_wait`: no is an answer. call_after_slice(end) has
  /// after_slice() called.
  virtual Turn before_slice(Exec& c, AfterSlice& end, bool may_wait) { return Turn::runs; }
  virtual void after_slice(After how, uint32_t reductions) {}
  virtual void joins(Process&) {}  ///< it is in the table of processes, and does not run yet
  /// Signals have come in, the oldest first, and are about to be handled.
  virtual void arrived(Process&, Signal* first) {}
  /// It has handled signals or collected.
  virtual void changed(Process&) {}
  /// A message that counts (Signal::counted) has left its queue.
  virtual void message_taken(Process&) {}
  /// It is about to send. False: not now; if it `waits`, it has been suspended,
  /// and does it again.
  virtual bool may_send(Process&, bool waits) { return true; }
  /// What Signal::ref of an ordinary message to it is to be. By any sender.
  virtual uint64_t stamp() { return 0; }
  virtual void exits(Process&) {}  ///< it is in no table any more, and may still run a while
  virtual void gone(Process&) {}   ///< this was its last slice
};

/// policy.after_slice() comes once, when this slice of `c` is over.
void call_after_slice(Policy& policy, AfterSlice& end);

}  // namespace wb
