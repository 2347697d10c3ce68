// Native yields: a C++ function stops in the middle, and goes on in a later slice.
//
// A BIF is a C++ function; a long one gives its scheduler back in the middle. Process::spend()
// counts what it does, and when the slice is used up the whole native stack is left as it stands,
// from the scheduler's loop down to the BIF, and the loop goes on upon another stack (a Fiber).
// When the process is scheduled again the worker switches back: spend() returns, the BIF goes on.
// So a BIF is written as if it ran to its end, and calls that are short pay nothing at all.
//
//   stack 1   loop -> run_slice(P) -> interpreter -> lists:reverse ... spend()    yielded
//   stack 2   loop -> run_slice(Q) -> interpreter -> ...                          runs
//   stack 3   loop -> run_slice(R) -> resume_call(R)                              idle
//
// A stack is idle inside the resume_call() that switched away from it to a BIF that had yielded.
// The next BIF to yield switches to an idle one, whose loop then continues: it does not matter
// which loop it is.
//
// Invariants
//  - The process of a BIF that has yielded stays with its worker (pinned): its stack holds
//    addresses of that worker, of its Exec, and perhaps of thread-local variables.
//  - Nothing of it is collected or moved meanwhile: the native stack holds terms that nobody can
//    find. Signals are handled as always; a collection that one asks for comes after the BIF.
//  - Whoever calls spend() holds no lock and no ReaderGuard, and nothing that thread progress
//    protects (processes, tables, code found by lookup): other slices run before it returns.
//  - If the process ends meanwhile, spend() says so in the same slice; the BIF undoes what it holds
//    and returns kCancelled. The heap lives until then, and so does the code that is returned to:
//    purged code is freed by thread progress. A dirty thread that has begun is waited for; the
//    process is gone for all others, and no purged code is freed (CodeTable::pin_code).
//  - Only so many native calls may have yielded on a worker at a time; the next BIF runs to its end
//    instead.
//
// off_scheduler() is for work that cannot be interrupted (GMP, PCRE2): the BIF yields while a dirty
// thread does it.
//
// Rejected: resumable state objects, one a BIF, as BEAM has them (every loop written inside out,
// its state kept where the collector finds it); a stack for each slice, which costs two switches
// for every slice instead of two for a BIF that is long.
#pragma once

#include <atomic>

#include "base/fiber.h"
#include "base/work_budget.h"
#include "scheduler/dirty_pool.h"
#include "vm/process/process.h"

namespace wb {

class Interrupt;
class Scheduler;
class Worker;

/// A native call that has yielded. Lives on its own stack.
struct YieldedCall {
  Fiber* fiber;
  Worker* worker;
  const Export* bif;     ///< nullptr: an instruction
  DirtyJob* work;        ///< what a dirty thread does for it, or nullptr
  DirtyKind kind;        ///< of that thread
  Interrupt* interrupt;  ///< of `work`, if it may be told to end
  bool pins_code;        ///< CodeTable::pin_code
  bool collecting;       ///< its heap is in two places, or it ends: signals wait
  bool is_elsewhere;     ///< for tracers: on a dirty scheduler (DirtyTurn)
  YieldedCall** link;    ///< in Fibers::yielded_
  YieldedCall* next;
};

/// The native stacks of one worker.
class Fibers {
 public:
  explicit Fibers(Worker& worker) : worker_(worker) {}
  ~Fibers();
  Fibers(const Fibers&) = delete;

  /// Leaves this stack until `call` is resumed. The caller has arranged who will.
  void yield_to(YieldedCall& call, Fiber& next);
  /// From run_slice: goes on where `call` yielded; returns when this stack is needed again.
  void resume_call(YieldedCall& call);
  /// A stack to go on upon, or nullptr: too many have yielded.
  Fiber* take_fiber();
  Fiber* current() { return current_; }
  /// The worker ends: every call that has yielded is cancelled. On the thread's own stack.
  void unwind();

 private:
  static void main(void* self);
  void switch_fiber(Fiber& to);
  void put_idle(Fiber& fiber);

  Worker& worker_;
  Fiber own_;  ///< the thread's
  Fiber* current_ = &own_;
  Fiber* idle_ = nullptr;
  size_t idle_count_ = 0;
  size_t made_ = 0;
  YieldedCall* yielded_ = nullptr;
};

/// False: a dirty thread has begun with it, and is told that it may end.
bool withdraw_work(Scheduler& scheduler, YieldedCall& call);

/// Lets others run between two chunks of a collection.
void yield_within_collection(Process& p);

/// A process that ends waits for somebody: once it has left its stack, `arrange` sees to it that
/// Scheduler::enqueue() is called for it, once. Where it cannot yield it does not wait.
void yield_until_woken(Process& p, void (*arrange)(void*), void* argument);
template <class F>
void yield_until_woken(Process& p, F arrange) {
  yield_until_woken(p, [](void* f) { (*static_cast<F*>(f))(); }, &arrange);
}

/// Counts what a process does as it ends, so many steps a reduction: it lets others run, too. Never
/// stops.
class ExitBudget final : public WorkBudget {
 public:
  ExitBudget(Process& p, int64_t steps_per_reduction)
      : WorkBudget(kRefill), process_(p), rate_(steps_per_reduction) {}
  ExitBudget(const ExitBudget&) = delete;

 private:
  static constexpr int64_t kRefill = 1024;
  bool refill() override;

  Process& process_;
  const int64_t rate_;
};

/// What one piece of code has its work done by dirty threads for: how long that takes tells whether
/// to wait for it where it stands, before the process yields. By any thread.
class WorkHistory {
 public:
  bool worth_waiting();
  void waited(bool in_vain);
  void took(uint64_t ns);

 private:
  std::atomic<bool> long_{true};
  std::atomic<uint32_t> misses_{0}, calls_{0};
};

/// Work that OTP does on a dirty scheduler, too: there the process is scheduled out and in once
/// more, which tracers see, and it comes back by a function of erts_internal. The work may say by
/// which.
struct DirtyTurn {
  const char* function;
  uint32_t arity = 1;
};

/// Does `work` on a dirty thread; the process yields meanwhile. False: it has ended; return
/// kCancelled. `history`, if given, is that of this work; `interrupt` tells work that has begun
/// when nobody wants it any more; what `touches` shared state is repeated in a replay at the moment
/// at which it was done (scheduler/recorded_jobs.h).
bool off_scheduler(Process& p, void (*work)(void*), void* argument, DirtyKind kind,
                   WorkHistory* history = nullptr, Interrupt* interrupt = nullptr,
                   const DirtyTurn* turn = nullptr, Touches touches = Touches::own);
template <class F>
bool off_scheduler(Process& p, F work, DirtyKind kind = DirtyKind::cpu,
                   WorkHistory* history = nullptr, const DirtyTurn* turn = nullptr) {
  return off_scheduler(
      p, [](void* f) { (*static_cast<F*>(f))(); }, &work, kind, history, nullptr, turn);
}
template <class F>
bool off_scheduler(Process& p, F work, Touches touches) {
  return off_scheduler(
      p, [](void* f) { (*static_cast<F*>(f))(); }, &work, DirtyKind::cpu, nullptr, nullptr, nullptr,
      touches);
}
/// Work that waits, perhaps for ever.
template <class F>
bool off_scheduler(Process& p, F work, Interrupt& interrupt) {
  return off_scheduler(
      p, [](void* f) { (*static_cast<F*>(f))(); }, &work, DirtyKind::io, nullptr, &interrupt);
}

/// The term that compute(Heap&) makes there: in a heap of its own, as signals may come in
/// meanwhile.
template <class F>
Term compute_off_scheduler(Process& p, F compute) {
  FragmentHeap heap(16);
  Term result = kNone;
  if (!off_scheduler(p, [&] { result = compute(heap); })) return kCancelled;
  if (HeapFragment* made = heap.take_fragments()) p.heap.adopt(made);
  return result;
}

}  // namespace wb
