// Who is alive: pid -> process, and registered names.
//
// A pid is a slot of one large table (reserved address space, memory only where used) and a serial:
// how many processes there had been. So pids sort as their processes were spawned, as BEAM's do.
// Freed slots are used again first (memory stays small); where OTP is booted (rotate()) they are
// used in turn, and the serial is how often the last one has been passed, so that pids are those
// that BEAM gives: <0.42.0>, then <0.43.0>. find() is wait-free: load the slot, compare the id; the
// process found stays valid for the rest of the caller's slice (thread progress).
//
// A name must not outlive its process, and processes without a name must not pay for that. Both
// sides write, fence, then look: register marks the process (`named`) and looks whether it is
// ending; an ending process says so (`exiting`) and looks at its mark. One of them sees the other.
// Tables, sockets and timers of a process come and go in the same way.
//
// All processes of one moment are listed in chunks (Snapshot), between which others run. It has a
// word for each slot that is used when it begins. Whoever looks at a slot writes there whom it has
// found; a process that goes meanwhile writes itself, one that comes that the slot is too new.
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ranked_lock.h"
#include "scheduler/spin_lock.h"
#include "term/name_map.h"
#include "vm/process/process.h"

namespace wb {

class VmHooks;

class ProcessTable {
 public:
  explicit ProcessTable(uint32_t limit);
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;

  /// Slots are given out in turn, as on BEAM. Before there are any processes.
  void rotate() { rotates_ = true; }
  /// Gives `p` its pid and makes it findable; false: the table is full.
  bool add(Process& p);
  void remove(Process& p);
  Process* find(Term pid) const {
    if (!is_local_pid(pid)) return nullptr;
    uint32_t slot = pid_slot(pid);
    if (slot >= limit_ + kReserve) return nullptr;
    Process* p = slots_[slot].load(std::memory_order_acquire);
    return p && p->id == pid ? p : nullptr;
  }
  Process* find(Address who) const { return find(Term{who.word()}); }
  uint32_t count() const { return count_.load(std::memory_order_relaxed); }
  /// The most there ever were at once.
  uint32_t peak() const { return peak_.load(std::memory_order_relaxed); }
  uint32_t limit() const { return limit_; }
  /// Every pid, in slot order.
  template <class F>
  void each(F f) const {
    uint32_t n = used_.load(std::memory_order_acquire);
    for (uint32_t s = 0; s < n; ++s) {
      if (Process* p = slots_[s].load(std::memory_order_acquire)) f(*p);
    }
  }

  class Snapshot;

  /// Slots that were ever used.
  uint32_t used() const { return used_.load(std::memory_order_acquire); }
  /// The processes in slots `from` to `to`, which is not above used(). Read ahead is the line that
  /// begins with Process::id, or with `more` the next one, too.
  template <bool more = true, class F>
  void each_in(uint32_t from, uint32_t to, F f) const {
    constexpr uint32_t kAhead = 16;  // each is a cache miss
    for (uint32_t s = from; s < to; ++s) {
      if (s + kAhead < to) {
        if (Process* next = slots_[s + kAhead].load(std::memory_order_relaxed)) {
          __builtin_prefetch(&next->id);
          if constexpr (more) __builtin_prefetch(&next->state);
        }
      }
      if (Process* p = slots_[s].load(std::memory_order_acquire)) f(*p, s);
    }
  }
  /// Fetches both lines of the processes in these slots, for who comes to read them.
  void read_ahead(uint32_t from, uint32_t to) const {
    for (uint32_t s = from; s < to; ++s) {
      if (Process* p = slots_[s].load(std::memory_order_relaxed)) {
        __builtin_prefetch(&p->id);
        __builtin_prefetch(&p->state);
      }
    }
  }
  /// Who is in that slot, which is below used().
  Process* at(uint32_t slot) const { return slots_[slot].load(std::memory_order_acquire); }
  uint32_t all_slots() const { return limit_ + kReserve; }
  /// How many processes there have been: the serial of the next.
  uint32_t spawned() {
    std::lock_guard lock(free_lock_);
    return next_serial_;
  }
  /// For tests that want a pid again: from here on, but for those in use. Returns it.
  uint32_t set_next_serial(uint32_t serial);

  // --- registered names: pids (or ports) by atom -------------------------------------------------
  enum class Registered : uint8_t { done, taken, has_name, gone };
  Registered register_name(Term name, Term pid);
  bool unregister_name(Term name);
  /// A process (removed from the table) or port that ends gives back its name.
  void forget_name(Term pid);
  Term name_of(Term pid) const;                                   ///< kNone if it has none
  Term registered(Term name) const { return names_.find(name); }  ///< kNone if nobody
  Term whereis(Term name) const;  ///< the same, but a service of that name is started first
  /// Asked for names that nobody has (VmHooks::start_service).
  VmHooks* hooks = nullptr;
  std::vector<Term> names() const;

 private:
  /// Slots behind the limit, for the machine's own processes: a program that has used up all others
  /// can still print that.
  static constexpr uint32_t kReserve = 64;
  static std::atomic<Process*>* reserve_slots(uint32_t* limit);

  // What every send reads stands on other lines than what every spawn and exit writes. And that is
  // one line, so that on many cores it is handed over once for each of them.
  std::atomic<Process*>* const slots_;
  const uint32_t limit_;
  bool rotates_ = false;

  static constexpr size_t kNear = 7;
  alignas(128) SpinLock free_lock_;
  uint8_t near_count_ = 0;
  std::atomic<uint32_t> used_{0}, count_{0}, peak_{0};  ///< written under free_lock_
  uint32_t next_serial_ = 0;
  uint32_t near_[kNear];                 ///< the first of the free slots
  uint32_t next_slot_ = 0, rounds_ = 0;  ///< if it rotates
  std::vector<uint32_t> free_;           ///< the other free slots, all under free_lock_

  bool take_free_slot(bool system, uint32_t* slot);       ///< under free_lock_
  bool take_next_slot(uint32_t* slot, uint32_t* serial);  ///< the same
  void give_back_slot(uint32_t slot);                     ///< the same
  std::vector<Snapshot*> snapshots_;                      ///< under free_lock_
  std::vector<uint32_t> serials_ahead_;  ///< in use as next_serial_ was set back; the least is last
  void skip_serials_in_use();            ///< under free_lock_
  void erase_name(Term name, Term pid);  ///< under names_lock_

  mutable RankedLock<LockRank::process_names, std::shared_mutex> names_lock_;
  NameMap names_;                         ///< written under names_lock_
  std::unordered_map<Term, Term> named_;  ///< pid -> name
  std::vector<Term> name_order_;
};

/// Who is alive when it is made.
class ProcessTable::Snapshot {
 public:
  explicit Snapshot(ProcessTable& table);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;

  uint32_t slots() const { return slots_; }
  void look_at(uint32_t slot);
  /// All slots were looked at: the pid of the process in this one; kNone: there was none.
  Term at(uint32_t slot) const;

 private:
  friend ProcessTable;
  static constexpr Term kUnknown = 0, kNobody = kNil;
  void found(uint32_t slot, Term who);

  ProcessTable& table_;
  uint32_t slots_ = 0;
  struct Free {
    void operator()(void* p) const { free(p); }
  };
  std::unique_ptr<std::atomic<Term>[], Free> pids_;
};

}  // namespace wb
