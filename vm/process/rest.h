// Native work that rests.
//
// A BIF is a C++ function; a long one gives its scheduler back in the middle. Process::spend()
// counts what it does, and when the slice is used up the whole native stack is left as it stands,
// from the scheduler's loop down to the BIF, and the loop goes on upon another stack (a Fiber).
// When the process' turn comes again the worker switches back: spend() returns, the BIF goes on.
// So a BIF is written as if it ran to its end, and calls that are short pay nothing at all.
//
//   stack 1   loop -> run_slice(P) -> interpreter -> lists:reverse ... spend()    rests
//   stack 2   loop -> run_slice(Q) -> interpreter -> ...                          runs
//   stack 3   loop -> run_slice(R) -> wake(R)                                     idle
//
// A stack is idle inside the wake() that switched away from it to a resting BIF. The next BIF to
// rest switches to an idle one, whose loop then continues: nobody cares which loop it is.
//
// Invariants
//  - The process of a resting BIF stays with its worker (pinned): its stack holds addresses of that
//    worker, of its Exec, and perhaps of thread-local variables.
//  - Nothing of it is collected or moved meanwhile: the native stack holds terms that nobody can
//    find. Signals are handled as always; a collection that one asks for comes after the BIF.
//  - Whoever calls spend() holds no lock and no ReaderGuard, and nothing that thread progress
//    protects (processes, tables, code found by lookup): other slices run before it returns.
//  - If the process ends while it rests, spend() says so in the same slice; the BIF undoes what it
//    holds and returns kCancelled. The heap lives until then, and so does the code that is returned
//    to: purged code is freed by thread progress. A dirty thread that has begun is waited for; the
//    process is gone for all others, and no purged code is freed (CodeServer::hold_code).
//  - Only so many rest on a worker at a time; the next BIF runs to its end instead.
//
// off_scheduler() is for work that cannot be cut into pieces (GMP, PCRE2): the BIF rests while a
// dirty thread does it.
//
// Rejected: resumable state objects, one a BIF, as BEAM has them (every loop written inside out,
// its state kept where the collector finds it); a stack for each slice, which costs two switches
// for every slice instead of two for a BIF that is long.
#pragma once

#include "base/fiber.h"
#include "base/pace.h"
#include "scheduler/scheduler.h"
#include "vm/process/process.h"

namespace wb {

/// What is known of a resting BIF. Lives on the stack that rests.
struct Rest {
  Fiber* fiber;
  Worker* worker;
  const Export* bif;  ///< nullptr: an instruction
  DirtyJob* work;     ///< what a dirty thread does for it, or nullptr
  DirtyKind kind;     ///< of that thread
  bool holds_code;    ///< CodeServer::hold_code
  bool collecting;    ///< its heap is in two places, or it ends: signals wait
  Rest** link;        ///< in Fibers::resting_
  Rest* next;
};

/// The native stacks of one worker.
class Fibers {
 public:
  explicit Fibers(Worker& worker) : worker_(worker) {}
  ~Fibers();
  Fibers(const Fibers&) = delete;

  /// Leaves this stack until `rest` is woken. The caller has arranged who will.
  void leave(Rest& rest, Fiber& next);
  /// From run_slice: goes on where `rest` left; returns when this stack is needed again.
  void wake(Rest& rest);
  /// A stack to go on upon, or nullptr: too many rest.
  Fiber* take();
  Fiber* current() { return current_; }
  /// The worker ends: all that rests gives up. On the thread's own stack.
  void unwind();

 private:
  static void main(void* self);
  void go(Fiber& to);
  void put_idle(Fiber& fiber);

  Worker& worker_;
  Fiber own_;  ///< the thread's
  Fiber* current_ = &own_;
  Fiber* idle_ = nullptr;
  size_t idle_count_ = 0;
  size_t made_ = 0;
  Rest* resting_ = nullptr;
};

/// False: a dirty thread has begun with it.
bool take_back_work(Scheduler& scheduler, Rest& rest);

/// Lets others have their turn between two pieces of a collection.
void rest_within_collection(Process& p);

/// Counts what a process does as it ends, so many steps a reduction: it gives others their turn,
/// too. Never stops.
class ExitPace final : public Pace {
 public:
  ExitPace(Process& p, int64_t steps_per_reduction)
      : Pace(kTurn), process_(p), rate_(steps_per_reduction) {}
  ExitPace(const ExitPace&) = delete;

 private:
  static constexpr int64_t kTurn = 1024;
  bool turn() override;

  Process& process_;
  const int64_t rate_;
};

/// Does `work` on a dirty thread while the process rests. False: it has ended; return kCancelled.
bool off_scheduler(Process& p, void (*work)(void*), void* argument, DirtyKind kind);
template <class F>
bool off_scheduler(Process& p, F work, DirtyKind kind = DirtyKind::cpu) {
  return off_scheduler(p, [](void* f) { (*static_cast<F*>(f))(); }, &work, kind);
}

/// The term that compute(Heap&) makes there: in a heap of its own, as signals may come in
/// meanwhile.
template <class F>
Term compute_off_scheduler(Process& p, F compute) {
  FragmentHeap heap(16);
  Term result = kNone;
  if (!off_scheduler(p, [&] { result = compute(heap); })) return kCancelled;
  if (HeapFragment* made = heap.take()) p.heap.adopt(made);
  return result;
}

}  // namespace wb
