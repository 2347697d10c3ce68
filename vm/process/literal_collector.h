// Gives back literals that nobody can get at any more: those of purged modules, and erased or
// replaced persistent terms. Processes may still have terms of them.
//
// As on BEAM the work is led by a system process, OTP's own erts_literal_area_collector: notified
// that there is something (the message `copy_literals`), it takes a batch by release_area_switch/0,
// asks every process by send_copy_request/3, and when all have answered takes the next, which frees
// the one before.
//
//   retire            queues; wakes the process
//   next              frees the last batch; declares the next one as being released; then every
//                     scheduler must pass a safe point (await_progress), so that from then on no
//                     copy shares a literal that is being released (term/releasing_literals.h)
//   processes()       all that may have such terms, for what is spawned later got copies
//   copy_literals     a task: the process looks through all its terms, and if it finds one that is
//                     being released, has a collection copy it. Messages that came before are among
//                     its terms, for a signal comes after what was sent before it.
//
// The process sleeps until it is first needed, so a program that retires nothing does not even load
// its code. Rejected: a scan by a thread of the machine's own. It would need every process to stand
// still.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "term/fault.h"
#include "term/releasing_literals.h"

namespace wb {

class Vm;

/// Literals whose owner has let go of them; destroyed when nobody uses them.
struct RetiredLiterals {
  virtual ~RetiredLiterals() = default;
  virtual void spans(ReleasingLiterals& into) const = 0;
};

class LiteralCollector {
 public:
  explicit LiteralCollector(Vm& vm) : vm_(vm) {}
  ~LiteralCollector();
  LiteralCollector(const LiteralCollector&) = delete;

  /// Spawns its process. Before that, what is retired waits.
  void start();
  Term pid() const { return pid_; }
  void retire(std::unique_ptr<RetiredLiterals> literals);
  /// By the process only. False: nothing is waiting.
  bool next();
  /// What schedulers are to look out for from their next slice on.
  const ReleasingLiterals* releasing() const { return releasing_.load(std::memory_order_acquire); }

 private:
  using Batch = std::vector<std::unique_ptr<RetiredLiterals>>;
  /// Enough for a round to be worth it, not so much that who evicts needs a huge block.
  static constexpr size_t kBatchWords = 1 << 16;
  void declare(ReleasingLiterals* releasing);

  Vm& vm_;
  Term pid_ = kNone;
  std::atomic<ReleasingLiterals*> releasing_{nullptr};
  Batch current_;
  std::mutex lock_;
  Batch waiting_;       ///< under lock_
  bool woken_ = false;  ///< under lock_: the process knows
};

}  // namespace wb
