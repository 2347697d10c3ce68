// {oldest_first, Bound}: of the processes that have it the one runs whose message is the oldest.
//
// By default a process that is runnable works on all that it has, and others, with older messages,
// wait meanwhile. Under this policy messages are stamped in the order in which they are sent. Those
// who are runnable stand in one line of the machine, ordered by the oldest message that each has
// not yet taken, and as many of them run as there are schedulers. Who runs takes messages as long
// as they are older than the oldest that waits in the line, or not newer by Bound messages; then
// its slice ends, at its next call. So a message that waits in the line is overtaken by less than
// Bound messages that were sent later.
//
// Stamps: senders of this node set Signal::ref of an ordinary message to a process of the policy;
// what comes otherwise is stamped when the receiver handles it. Stamped messages count
// (Signal::counted), so that taking one is noticed. Answers, 'DOWN' and exit messages have no
// stamp and no bound.
//
// A message that the process has passed over in a selective receive gives it no precedence: not
// while it waits (Process::save stands behind it), and not when the first of the queue is still
// the one that it was before a run in which others were taken.
//
// Places (under the lock); all but the first and the last are in the line:
//   idle     it waits, or something that has no stamp has just woken it
//   queued   it stands in a run queue, or is about to, and comes by itself
//   held     it is in no queue (policy.h)
//   granted  it was held, and is in a run queue again, to run
//   running
// Whoever sends to one that is idle queues it in the line as the message gets its stamp. `running_`
// counts those who run or are granted. While there are fewer than schedulers, the first that is not
// granted is queued, or there is none.
#pragma once

#include <atomic>
#include <set>

#include "base/ranked_lock.h"
#include "vm/process/policy.h"

namespace wb {

class OldestFirstPolicy;
class Vm;

/// All of a machine.
class OldestFirst {
 public:
  explicit OldestFirst(Vm& vm) : vm_(vm) {}
  uint64_t stamp() { return stamps_.fetch_add(1, std::memory_order_relaxed) + 1; }
  uint64_t stamp_for(OldestFirstPolicy& receiver);

 private:
  friend class OldestFirstPolicy;
  enum class Place : uint8_t { idle, queued, held, granted, running, gone };
  static bool has_entry(Place p) {
    return p == Place::queued || p == Place::held || p == Place::granted;
  }
  struct Entry {
    uint64_t oldest, arrival;
    OldestFirstPolicy* who;
    bool operator<(const Entry& o) const {
      return oldest != o.oldest ? oldest < o.oldest : arrival < o.arrival;
    }
  };
  bool admit(OldestFirstPolicy& who, uint64_t oldest);
  void slice_ended(OldestFirstPolicy& who, bool goes_on, uint64_t oldest);
  void end(OldestFirstPolicy& who);
  void enter(OldestFirstPolicy& who, uint64_t oldest, Place place);
  void leave(OldestFirstPolicy& who, Place place);
  bool is_in_line(const OldestFirstPolicy& who);
  OldestFirstPolicy* grant();
  void note_first();

  Vm& vm_;
  std::atomic<uint64_t> stamps_{0};
  std::atomic<uint64_t> first_{~uint64_t{0}};  ///< the oldest in the line
  RankedLock<LockRank::oldest_first> lock_;
  std::set<Entry> line_;
  uint64_t arrivals_ = 0;
  uint32_t running_ = 0;
};

class OldestFirstPolicy final : public Policy {
 public:
  OldestFirstPolicy(Process& p, uint32_t bound, OldestFirst& all);
  Turn before_slice(Exec& c, AfterSlice& end, bool may_wait) override;
  void after_slice(After how, uint32_t reductions) override;
  void message_taken(Process& p) override;

  void arrived(Process& p, Signal* first) override;  ///< those without a stamp get one
  uint64_t stamp() override { return all_.stamp_for(*this); }
  void exits(Process&) override { all_.end(*this); }

 private:
  friend class OldestFirst;
  uint64_t oldest_of(const Process& p);
  OldestFirst& all_;
  Process& process_;
  const uint32_t bound_;
  bool taken_ = false;  ///< in this slice, or the last one
  uint64_t head_ = 0;   ///< stamp of the oldest message when that began
  OldestFirst::Place place_ = OldestFirst::Place::idle;
  OldestFirst::Entry entry_{};  ///< while it is in the line
  uint32_t runs_ = 0;           ///< 2: the end of one is not noted yet, and it runs again
};

}  // namespace wb
