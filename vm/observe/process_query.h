// What the observer asks of a process: a function that the process runs on itself when it handles
// its signals, which is the one moment at which everything of it may be looked at.
//
// A query belongs to two: to the observer's thread that waits for it and to the signal that is on
// its way. Whoever lets go last frees it, so a process may answer long after nobody waits any more
// (it was in the middle of something), or never.
//
// The answer is text, written by the process on its scheduler's time: functions look at so many
// things and no more.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "term/term.h"
#include "vm/process/visit.h"

namespace wb {

class Vm;

class ProcessQuery;

/// Where the observer waits for the replies to its queries.
class QueryWaiter {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  /// A new round: answers of earlier ones do not count.
  uint64_t begin();
  void arrived(uint64_t round);
  /// False: the time is up, or waiting was cancelled.
  bool wait_for(size_t how_many, Deadline deadline);
  void give_up();  ///< for good: the machine ends

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  size_t arrived_ = 0;
  uint64_t round_ = 0;
  bool over_ = false;
};

class ProcessQuery final : public Visit {
 public:
  using Function = void (*)(Process& p, ProcessQuery& q);
  enum class State : uint8_t { asked, answered, gone };

  ProcessQuery(Function function, QueryWaiter& waiter, uint64_t round)
      : function_(function), waiter_(waiter), round_(round) {}
  ProcessQuery(const ProcessQuery&) = delete;

  uint64_t number = 0, count = 0;  ///< of what is asked
  std::string text;                ///< the answer, to be read when the state says so
  const std::chrono::steady_clock::time_point asked_at = std::chrono::steady_clock::now();
  State state() const { return state_.load(std::memory_order_acquire); }

  /// Sends it to `pid`; drop() it afterwards.
  void send_to(Vm& vm, Term pid);
  void drop() override;

  // --- for the process that is asked ---
  void visit(Process& p) override;
  void too_late() override;

 private:
  void end(State state);

  const Function function_;
  QueryWaiter& waiter_;
  const uint64_t round_;
  std::atomic<State> state_{State::asked};
  std::atomic<uint32_t> shares_{1};
};

/// Asks several processes at once and waits at most so long. Queries are the caller's to drop.
std::vector<ProcessQuery*> query_all(Vm& vm, QueryWaiter& waiter, const std::vector<Term>& pids,
                                     ProcessQuery::Function function,
                                     std::chrono::milliseconds patience, uint64_t number = 0,
                                     uint64_t count = 0);

}  // namespace wb
