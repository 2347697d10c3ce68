// Signals: everything one process does to another.
//
// The inbox is one atomic word: a stack of pushed signals, newest first, or one of two sentinels.
//   push     compare-and-swap onto the stack. The pusher that replaces kParked wakes the process
//            (nobody else can), so a wake-up is never lost and never doubled.
//   drain    the owner exchanges it with null and reverses the batch: signals of one sender keep
//            their order, as each was pushed after the one before it.
//   park     the owner replaces null by kParked; if something came in meanwhile it fails, and the
//            owner drains again.
//   hold     somebody who wants to look at a parked process replaces kParked by null, as if it ran,
//            and parks it again; if something came in meanwhile the holder wakes it.
//   close    the dying owner exchanges it with kClosed; later pushes fail, and the pusher treats
//   the
//            process as gone.
// push releases, drain/park/close acquire: what the sender wrote is visible to the receiver.
//
// Messages stay Signals in the private queue until received. Their terms live in a fragment of
// their own, until a receive takes them (or a collection runs while receive looks at one): then the
// fragment becomes part of the heap. A message in the heap is a root for as long as it waits, and
// each collection has to find it: so only the first kNear of a queue are made there, and
// Process::heap_messages says how far collections look. (They looked through the whole queue: a
// process behind a million messages took 20 times as long for each as one behind ten thousand.)
//
// Rejected: a lock per mailbox (contended senders park each other); a Michael-Scott queue (two
// atomics a message and no place for the sentinels).
#pragma once

#include <cstring>

#include "gc/fragment.h"
#include "term/address.h"
#include "term/copy.h"
#include "vm/process/process.h"

namespace wb {

enum class SignalKind : uint8_t {
  message,
  alias_message,     // counts only if alias `ref` is active
  priority_message,  // the same, sent with `priority`; in the queue: it has overtaken others
  exit,              // exit/2: from, term = reason
  alias_exit,        // exit/2 to alias `ref`: counts only if that is active
  priority_exit,     // the same, sent with `priority`
  link_exit,         // a linked process ended: from, term = reason
  link,
  unlink,        // `ref`: its number
  unlink_ack,    // from has handled unlink `ref`
  monitor,       // from watches under `ref`; term: name it was watched by, or nil
  demonitor,     // from stops watching under `ref`
  down,          // monitor `ref` fired: term = reason
  timeout,       // receive timer number `ref`
  group_leader,  // term = new leader
  request,       // from asks `request`; answered by `reply` with `ref`
  reply,         // term
  suspend,
  resume,
  visit,      // somebody looks at the process: a Visit in `ref` (visit.h)
  work_done,  // the dirty thread has done what a native function asked for (native_yield.h)
};

enum class Request : uint8_t {
  none,
  is_alive,  // answered by a `reply`
  info,
  query,     // {Ref, What, Detail}: answered by the message {Ref, Answer}
  task,      // {Type, Id, Detail}: answered by the message {Type, Id, Answer}
  low_task,  // the same, but others go before it
  // Of a message or an exit, which are no requests (vm/process/sequential.h):
  token,        // `ref` is the token that goes with it
  token_stays,  // it has none, and leaves the receiver's alone
};

struct Signal {
  Signal* next = nullptr;
  SignalKind kind;
  Request request = Request::none;
  bool counted = false;  ///< a message that takes up room in a bounded mailbox (bounded_mailbox.h)
  /// The sender where it matters; counted, if it is remote. Of a message, which is no answer to
  /// anybody, the name of the node it comes from is enough.
  Address from;
  uint64_t ref = 0;  ///< number of a reference
  Term term = kNil;
  HeapFragment* fragment =
      nullptr;  ///< where `term` lives; null: immediate, literal or in the heap

  explicit Signal(SignalKind k) : kind(k) {}
  /// Has a message a token, or a place in a bounded mailbox? One load for both.
  bool is_special() const {
    uint16_t request_and_counted;
    static_assert(sizeof(Request) == 1 && sizeof(bool) == 1);
    memcpy(&request_and_counted, &request, sizeof request_and_counted);
    return request_and_counted != 0;
  }
};

/// Does it go to an alias, whose number is in `ref`?
inline bool is_to_alias(SignalKind kind) {
  return kind == SignalKind::alias_message || kind == SignalKind::priority_message ||
         kind == SignalKind::alias_exit || kind == SignalKind::priority_exit;
}

/// Sentinels of the inbox word: never addresses of signals.
inline Signal* parked_inbox() { return reinterpret_cast<Signal*>(1); }
inline Signal* closed_inbox() { return reinterpret_cast<Signal*>(2); }

Signal* new_signal(SignalKind kind);
/// With `term` copied into a fragment of its own.
Signal* new_signal(SignalKind kind, Term term);
void free_signal(Signal* s);  ///< and its fragment and token

/// To one process; to whoever has an address: route.h. False: the process is gone, and the signal
/// was freed. `boost`: the priority, above normal, of a process that waits for what it does (a
/// request); the receiver runs at once as if it had it.
bool push_signal(Process& to, Signal* s, uint8_t boost = 0);

inline bool has_signals(const Process& p) { return p.inbox.load(std::memory_order_relaxed); }
/// For erlang:suspend_process, by `by`. False: there is no such process.
bool suspend_process(Vm& vm, Address who, Address by);
bool resume_process(Vm& vm, Address who, Address by);
/// True: parked, the scheduler may forget it. False: handle_signals again.
inline bool park(Process& p) {
  Signal* expected = nullptr;
  return p.inbox.compare_exchange_strong(expected, parked_inbox(), std::memory_order_acq_rel);
}
/// A process that waits is the caller's until release_parked(): nobody runs it. False: it does not
/// wait. What its senders have sent so far it has handled.
inline bool hold_parked(Process& p) {
  Signal* expected = parked_inbox();
  return p.inbox.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
}
void release_parked(Process& p);

/// HeapMessages::near: among so many from the front.
constexpr uint32_t kNear = 32;
/// Receive is looking at a message: registers may point into it, so it joins the heap.
void adopt_peeked(Process& p);
/// A message leaves the queue, of which *link is `s`: who stood behind it stands where it was.
void take_out(Process& p, Signal** link, Signal* s);
/// Words of a message in fragments of its own. Process::message_words is their sum over the queue:
/// whoever adds, removes or adopts one keeps it (and wraps at 32 GiB).
inline uint32_t fragment_words(const Signal& s) {
  size_t words = 0;
  for (const HeapFragment* f = s.fragment; f; f = f->next) words += f->used;
  return static_cast<uint32_t>(words);
}
/// Bytes of all that waits in the queue, what lives in the heap apart.
inline size_t message_bytes(const Process& p) {
  return p.message_count.get() * sizeof(Signal) + size_t{p.message_words.get()} * sizeof(Term);
}

// --- references: local ones are known by one 64-bit number ---------------------------------------
uint64_t ref_number(Term ref);                            ///< of any local reference
Term make_ref(Heap& h, uint64_t number);                  ///< Kind::ref
Term make_alias_ref(Heap& h, uint64_t number, Term pid);  ///< Kind::pid_ref

}  // namespace wb
