// A process: control block, heap, mailbox, links, monitors, flags.
//
// Only the scheduler thread that runs a process touches its fields, except those marked shared:
// everything another process does to it is a signal pushed to `inbox` (signal.h).
#pragma once

#include <atomic>

#include "gc/process_heap.h"
#include "scheduler/runnable.h"
#include "term/atom.h"
#include "term/fault.h"

namespace wb {

struct Exec;
struct Export;
struct Signal;
struct Message;
struct ProcessExtra;
struct LinkTable;
class Vm;

enum class Priority : uint8_t { low = 0, normal = 1, high = 2, max = 3 };

enum class ProcessState : uint8_t {
  waiting, runnable, running, suspended, garbage_collecting, exiting, free
};

class Process : public Runnable {
 public:
  // --- for BIFs -----------------------------------------------------------------------------------
  Vm& vm() const;
  ProcessHeap heap;
  Term id = kNone;

  Term raise(Term error_class, Term reason);             ///< returns kRaised
  Term error(Term reason) { return raise(am::error, reason); }
  Term badarg(Term cause);                               ///< badarg with error_info cause
  void charge(int64_t reductions);                       ///< may end the slice at the next safe point
  /// Continue in Erlang: after the BIF returns the result (kTrap), `target` is called in its place.
  Term trap(Export* target, std::initializer_list<Term> args);

  // --- execution ----------------------------------------------------------------------------------
  Exec* exec = nullptr;      ///< the scheduler context while running, else nullptr
  Word* resume = nullptr;    ///< where to continue
  uint32_t live = 0;         ///< X registers saved in saved_x
  uint32_t saved_capacity = 0;
  Term* saved_x = nullptr;
  uint64_t reductions = 0;

  // --- mailbox (signal.h) --------------------------------------------------------------------------
  std::atomic<Signal*> inbox{nullptr};  ///< shared
  Message* messages = nullptr;          ///< received order, owner only
  Message** messages_end = &messages;   ///< link of the last
  Message** save = &messages;           ///< link to the next message receive looks at
  uint32_t message_count = 0;

  // --- state --------------------------------------------------------------------------------------
  std::atomic<ProcessState> state{ProcessState::runnable};  ///< shared, for looking only
  bool trap_exit = false;
  bool exiting = false;
  bool off_heap_messages = false;
  uint8_t catches = 0;  // unused slots keep the block small
  Term group_leader = kNone;
  Term dictionary = kNil;        ///< list of {K,V} tuples until it grows (dictionary.h)
  LinkTable* links = nullptr;    ///< links and monitors (links.h), made at first use
  ProcessExtra* extra = nullptr; ///< rare parts, made at first use
};

}  // namespace wb
