// What comes out of a machine to a thread of the program: the messages of a process that it is, or
// the answer to a call.
//
// Processes put letters in (whitebeam_embed:deliver/3), the thread takes them out. A letter's term
// is a copy in fragments of its own, which shares nothing with literals: nobody would find it when
// their module is purged. The way from a process to its mailbox is a ticket, an object behind a
// magic reference that only that process has: when it goes, however the process ended, the mailbox
// is closed. So whoever waits never waits for somebody who is gone, and no process needs a watcher.
//
// `incoming` is shared, under the lock; `queue` is the thread's own, so that a predicate looks at
// messages without a lock while others arrive.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "gc/fragment.h"
#include "term/heap.h"

namespace wb {

class EmbeddedVm;

enum class LetterKind : uint8_t { message, reply, exited };

struct Letter {
  Term term = kNil;
  HeapFragment* fragment = nullptr;
};

class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;

  /// By a process. Copies `term`.
  void put(LetterKind kind, Term term);
  /// By nobody any more: its process has ended, or (`machine`) the machine has.
  void close(bool machine);
  /// Frees what is in it, and what comes.
  void abandon();

  // --- under the lock ----------------------------------------------------------------------------
  std::mutex lock;
  std::condition_variable changed;
  std::list<Letter> incoming;
  std::optional<Letter> reply, exit;
  bool process_gone = false, machine_gone = false;

  // --- the thread's own --------------------------------------------------------------------------
  std::list<Letter> queue;

 private:
  bool abandoned_ = false;
};

/// A magic reference, which keeps `box`.
Term make_ticket(EmbeddedVm& vm, Heap& h, std::shared_ptr<Mailbox> box);
/// whitebeam_embed:deliver/3 is a function from now on.
void add_delivery(EmbeddedVm& vm);

}  // namespace wb
