// A process: control block, heap, mailbox, links, monitors, flags.
//
// Only the scheduler thread that runs a process touches its fields, except those marked shared and
// Watched ones, at which the observer looks (vm/observe/):
// everything another process does to it is a signal pushed to `inbox` (signal.h).
//
// Life: spawn() puts it in the table and enqueues it; run_slice() (run.cc) runs it slice by slice;
// exit_process() (exit.cc) closes the inbox, notifies links and monitors, frees the heap, takes it
// out of the table; its memory is freed when every scheduler has passed a safe point (thread
// progress), because others may just be looking at it.
#pragma once

#include <atomic>
#include <initializer_list>

#include "base/watched.h"
#include "gc/process_heap.h"
#include "scheduler/runnable.h"
#include "term/address.h"
#include "term/atom.h"
#include "term/fault.h"

namespace wb {

struct Exec;
struct Export;
struct Signal;
struct ProcessExtra;
struct RareParts;
struct ReceiveParts;
struct Relations;
class Vm;

enum class Priority : uint8_t { low = 0, normal = 1, high = 2, max = 3 };

/// What ProcessHeap::collected_for counts: some half a microsecond, of which it counts half an
/// hour.
constexpr uint64_t kPauseTicks = 1024;

enum class ProcessState : uint8_t {
#define PROCESS_STATE(name) name,
#include "vm/process/park_reasons.def"
};

/// Where in its queue a process may have messages whose terms live in its heap: roots (signal.h).
enum class HeapMessages : uint8_t { none, near, anywhere };

/// What a parked process needs before it may go on (park_reasons.h).
enum class WaitFor : uint8_t {
#define PARK_REASON(name, ...) name,
#include "vm/process/park_reasons.def"
};

class Process : public Runnable {
 public:
  static constexpr uint8_t kNativeYield = 1;  ///< `special`: see native_yield.h
  static constexpr uint8_t kMeasured = 2;     ///< waits_since counts (wait_times.h)
  bool in_native_yield() const { return special & kNativeYield; }

  // --- for BIFs ----------------------------------------------------------------------------------
  [[no_unique_address]] ProcessHeap heap;  ///< its last half word is waits_since
  uint32_t waits_since = 0;                ///< when it became runnable, if it is kMeasured
  Exec* exec = nullptr;                    ///< the scheduler's context while running, else nullptr

  // --- what it was made with, and what it has made -----------------------------------------------
  Term parent = kNone;             ///< pid, or `undefined` for the first
  Export* initial_call = nullptr;  ///< what it was spawned with
  Vm* vm_ = nullptr;
  Relations* links = nullptr;     ///< links and monitors (relations.h), made at first use
  ProcessExtra* extra = nullptr;  ///< what not every one has (extra.h), made at first use
  Watched<Term> group_leader{kNone};

  Term id = kNone;  ///< begins a cache line (process.cc): what the observer sorts by

  Vm& vm() const { return *vm_; }
  Address address() const { return Address::of_local(id); }
  Term raise(Term error_class, Term reason);  ///< returns kRaised
  Term error(Term reason) { return raise(am::error, reason); }
  Term badarg(Term cause);          ///< badarg with this `cause` in its error_info
  void charge(int64_t reductions);  ///< may end the slice at the next call
  int64_t reductions_left() const;
  /// As charge(), and when the slice is used up others run before it returns (native_yield.h).
  /// False: the process has ended meanwhile; free what is held and return kCancelled.
  bool spend(int64_t reductions);
  bool yield_native();
  /// Continue in Erlang: `return p.trap(target, {a, b})` calls `target` in the BIF's place.
  Term trap(Export* target, std::initializer_list<Term> args);
  Term error_handler() const;  ///< module called for undefined functions
  ProcessExtra& extras();      ///< makes `extra` if needed, as those below (extra.h)
  inline ReceiveParts& receives();
  RareParts& rare();
  Relations& relations();                ///< makes `links` if needed
  Term* room_for_registers(uint32_t n);  ///< saved_x, at least n of them; they are not kept
  void free_registers();

  // --- execution ---------------------------------------------------------------------------------
  Watched<const Word*> resume;  ///< where to continue
  Watched<uint32_t> message_count;
  Watched<uint32_t> message_words;  ///< of those in fragments of their own (signal.h)
  Watched<uint64_t> reductions;     ///< spent before this slice
  uint16_t live = 0;                ///< how many are saved
  uint16_t saved_capacity = 0;
  WaitFor waiting_for = WaitFor::nothing;
  bool timed_out = false;

  // --- mailbox (signal.h) ------------------------------------------------------------------------
  bool peeked = false;  ///< receive is looking at the message at *save
  bool off_heap_messages = false;
  bool trap_exit = false;
  bool counts_messages = false;         ///< bounded_mailbox.h, oldest_first.h; shared, constant
  Watched<uint8_t> wait_p50, wait_p99;  ///< how long it has stood in queues (wait_times.h)
  Watched<uint32_t> heap_words;         ///< outside of its block, since the last collection
  std::atomic<Signal*> inbox{nullptr};  ///< shared
  Signal* messages = nullptr;           ///< in order of arrival
  Signal** messages_end = &messages;    ///< the last link
  Signal** save = &messages;            ///< link to the message receive looks at next
  Term* saved_x = nullptr;              ///< X registers while not running (pool_alloc)

  // --- the rest ----------------------------------------------------------------------------------
  std::atomic<ProcessState> state{ProcessState::runnable};  ///< shared, for looking only
  /// False: what its slices have changed can be seen (slice_marks.h).
  bool is_in_a_slice() const {
    const ProcessState now = state.load(std::memory_order_acquire);
    return now != ProcessState::waiting && now != ProcessState::runnable &&
           now != ProcessState::suspended;
  }
  std::atomic<bool> timed{false};  ///< shared: timers may be under way to it (timers.h)
  Watched<uint16_t> migrations;    ///< times it ran on another scheduler than before
  bool collect_requested : 1 = false;
  bool evict_requested : 1 = false;  ///< evict.h
  bool park_notified : 1 = false;    ///< where this slice ends (vm/trace/system_profile.h)
  bool timer_set : 1 = false;        ///< by this receive: it runs, has fired, or waits for ever
  HeapMessages heap_messages : 2 = HeapMessages::none;
  bool hibernating : 1 = false;
  std::atomic<bool> exiting{false};      ///< shared, for looking only
  bool system = false;                   ///< part of the machine: not counted, survives purges
  std::atomic<bool> named{false};        ///< shared: has or had a registered name
  std::atomic<uint32_t> trace_flags{0};  ///< shared (vm/trace/tracing.h)
  uint32_t suspend_count = 0;
  std::atomic<Address> tracer{Address()};  ///< shared: who gets trace messages

  /// A process in a block of kBlockBytes: control block, then its first heap. Larger heaps come
  /// from collections. destroy() frees what make() made.
  static constexpr size_t kBlockBytes = 448;
  static Process* make();
  static void destroy(Process* p);
  Term* inline_heap() { return reinterpret_cast<Term*>(this + 1); }
  static constexpr size_t inline_words();

  Process() = default;  ///< a bare control block, for tests
  ~Process();

 private:
  ReceiveParts& make_receives();
};
constexpr size_t Process::inline_words() { return (kBlockBytes - sizeof(Process)) / sizeof(Term); }

}  // namespace wb
