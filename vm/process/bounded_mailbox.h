// Mailboxes that have room for so many messages (the spawn option {whitebeam, [{mailbox, _}]}).
//
// Ordinary messages count. Those that somebody asked for do not, and always come in: answers (what
// goes to an alias), 'DOWN' and 'EXIT', priority messages. Otherwise a server that waits for an
// answer could never get it.
//
// What happens without room is decided in two places:
//   by the sender    `wait`, `error`, `drop_newest`, for messages of processes of this node. The
//                    sender reserves a place (admit) before the message is copied, so the limit is
//                    exact.
//   by the receiver  `drop_oldest` and `kill`, and what comes from ports, timers, native threads
//   and
//                    other nodes, who can neither wait nor fail: when it handles its signals, at
//                    the latest at its next slice. Under `wait` and `error` such messages come in
//                    although there is no room; under `drop_newest` they are dropped.
//
// Invariants: `held` is the number of counted messages, under way or in the queue, and of places
// reserved. Whoever takes a message out of the queue releases its place.
//
// Waiting: the sender notes itself in `senders` under the lock and suspends itself, as for a busy
// port; when half of the room is free all of them go on and try again. The flag `awaited` is set
// before the sender looks at `held` once more, and the receiver looks at it after it has lowered
// `held` (both seq_cst), so one of them sees the other. `closed` is set, under the lock, when the
// receiver ends; who comes later does not wait. A process never waits for itself.
//
// `counts_messages` (Process) and the pointer to this are set before the process is in the table,
// never after; the object is freed with the control block. So senders read both without a lock.
//
// Rejected: a limit that can be set later (every send would have to load it with an order); a lock
// around every send; counting in the inbox word (it is a pointer).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/ranked_lock.h"
#include "term/address.h"

namespace wb {

class Process;
struct Exec;
struct Signal;

enum class WhenFull : uint8_t {
#define MAILBOX_POLICY(name, what) name,
#include "vm/process/mailbox_policies.def"
};
Term atom_of(WhenFull when_full);

class BoundedMailbox {
 public:
  BoundedMailbox(uint32_t limit, WhenFull when_full) : limit(limit), when_full(when_full) {}

  const uint32_t limit;  ///< messages, at least 1
  const WhenFull when_full;

  uint32_t held() const { return held_.load(std::memory_order_relaxed); }
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  size_t waiting() const;
  bool is_over() const { return held() > limit; }

  /// A place, if there is one.
  bool reserve();
  void take_place() { held_.fetch_add(1, std::memory_order_seq_cst); }
  /// A counted message is out of the queue.
  void release_place(Process& receiver);
  void note_dropped() { dropped_.fetch_add(1, std::memory_order_relaxed); }
  enum class Wait : uint8_t { suspended, room, closed };
  /// `from` is suspended until there is room, unless there is, or the receiver has ended.
  Wait wait(Process& from);
  /// The receiver has ended.
  void close(Process& receiver);

 private:
  void resume_all(Process& receiver, bool close);
  std::atomic<uint32_t> held_{0};
  std::atomic<bool> awaited_{false};
  std::atomic<uint64_t> dropped_{0};
  mutable RankedLock<LockRank::bounded_mailbox> lock_;
  std::vector<Address> senders_;  ///< who wait
  bool closed_ = false;
};

/// What becomes of a message of process `from`.
enum class Admission : uint8_t {
  enters,    ///< the receiver counts it
  reserved,  ///< it comes in, counted
  dropped,
  waits,  ///< `from` is suspended and sends it again
  would_wait,
  fails,
};
/// Of an ordinary message to `to`, whose mailbox is bounded.
Admission admit(Process& from, Process& to, bool nosuspend);

/// Of signals that have just come in (a list, the oldest first): counts messages and drops those
/// for which there is no room. What remains; *killed: the process is to end with `mailbox_full`.
Signal* bound_messages(Process& p, Signal* first, bool* killed);
/// A counted message has left the queue; a policy may be interested, too (oldest_first.h).
void message_taken(Process& p);

}  // namespace wb
