// Timers of programs: send_after, start_timer, cancel_timer, read_timer.
//
// A running timer is an entry in one of 64 shards, found by its reference's number, and a Timer in
// a scheduler's wheel. Whoever takes the entry out of its shard owns it: the callback that fires
// sends the message and frees it; a canceller stops the wheel's timer (waiting for a callback that
// came too late to find the entry) and frees it. So it is sent or cancelled, never both.
//
// The timers of each receiving process are also a list, so that what is under way to a process is
// freed when it ends. Starting one and ending write, fence and look as names do (table.h): a
// process that timers may be under way to is marked, others pay nothing. Locks: a shard's, then a
// list's.
//
// Rejected: timers owned by the process that starts them (others may cancel, and it may be gone).
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/ranked_lock.h"
#include "gc/fragment.h"
#include "scheduler/timer_wheel.h"
#include "term/address.h"
#include "term/term.h"
#include "vm/process/call_site.h"

namespace wb {

class Process;
class Vm;

class Timers {
 public:
  static constexpr size_t kShards = 64;
  explicit Timers(Vm& vm) : vm_(vm) {}
  ~Timers();

  /// Sends `message` (in `fragment`, taken over) to `to`, a local process or a name, at
  /// `deadline_ns` of the oracle's clock.
  void start(uint64_t number, Address to, Term message, HeapFragment* fragment,
             uint64_t deadline_ns, const RawCallSite& maker);
  /// `p` has left the process table: what is under way to it is cancelled.
  void receiver_gone(Process& p);
  /// Milliseconds left, or -1 if there is no such timer.
  int64_t cancel(uint64_t number);
  int64_t read(uint64_t number) const;
  /// How many are under way to `who`, by its pid.
  uint32_t count_of(Address who) const;
  struct Bytes {
    size_t entries = 0, messages = 0;
  };
  Bytes bytes() const;  ///< of memory
  /// Calls f(fragments) with each message that is no immediate, a shard locked at a time.
  template <class F>
  void each_message(F f) const {
    for (const Shard& s : shards_) {
      std::lock_guard guard(s.lock);
      s.entries.each([&](const Entry& e) {
        if (e.fragment) f(e.fragment);
      });
    }
  }
  /// Calls f(whom, message, milliseconds left) with each, a shard locked at a time.
  template <class F>
  void each(F f) const {
    for (const Shard& s : shards_) {
      std::lock_guard guard(s.lock);
      s.entries.each([&](const Entry& e) { f(e.to, e.message, left(e)); });
    }
  }
  struct Seen {
    Address to;
    RawCallSite maker;
    int64_t left_ms;
    size_t bytes;  ///< of the message
  };
  size_t count() const;
  /// Calls f(Seen) with each, a shard locked at a time; of `one_of` shards with those of one: which
  /// shard a timer is in is chance.
  template <class F>
  void each_seen(F f, size_t one_of = 1) const {
    for (size_t k = 0; k < kShards; k += one_of) {
      const Shard& s = shards_[k];
      std::lock_guard guard(s.lock);
      s.entries.each([&](const Entry& e) { f(Seen{e.to, e.maker, left(e), message_bytes(e)}); });
    }
  }

 private:
  struct Entry : Timer {
    Timers* timers = nullptr;
    uint64_t number = 0;
    Address to;
    Term message = kNil;
    HeapFragment* fragment = nullptr;
    RawCallSite maker;
    Entry* next = nullptr;   ///< of the same receiver
    Entry** link = nullptr;  ///< what points here; null: in no list
    Entry* chain = nullptr;  ///< of the same bucket
    ~Entry() {
      if (fragment) free_fragments(fragment);
    }
  };
  /// Owns entries, found by number. Chained through the entries themselves: a timer is one block of
  /// memory, and finding it two loads. Numbers follow each other, so their low bits are the hash.
  class Entries {
   public:
    Entries() = default;
    ~Entries();
    Entries(const Entries&) = delete;
    size_t size() const { return size_; }
    void put(std::unique_ptr<Entry> e);
    std::unique_ptr<Entry> take(uint64_t number);  ///< null: there is none
    const Entry* find(uint64_t number) const { return mask_ ? *place_of(number) : nullptr; }
    template <class F>
    void each(F f) const {
      for (size_t k = 0; k < size_of_buckets(); ++k)
        for (const Entry* e = buckets_[k]; e; e = e->chain) f(*e);
    }

   private:
    static constexpr size_t kFewest = 16;
    size_t size_of_buckets() const { return mask_ ? mask_ + 1 : 0; }
    Entry*& bucket_of(uint64_t number) const { return buckets_[number / kShards & mask_]; }
    /// What points to the entry, or is null.
    Entry** place_of(uint64_t number) const;
    void grow();

    std::unique_ptr<Entry*[]> buckets_;
    size_t mask_ = 0, size_ = 0;
  };
  struct alignas(64) Shard {
    mutable RankedLock<LockRank::timers> lock;
    Entries entries;
    size_t message_bytes = 0;
  };
  struct alignas(64) Receivers {
    mutable RankedLock<LockRank::timer_receivers> lock;
    struct List {
      Entry* first = nullptr;
      uint32_t count = 0;
    };
    std::unordered_map<Address, List> lists;
  };
  static constexpr size_t kSome = 64;  // timers of a process that ends, cancelled at a time

  static void fire(Worker& worker, Timer& timer);
  void send(Entry& e);
  static size_t message_bytes(const Entry& e);
  std::unique_ptr<Entry> take_entry(uint64_t number);
  int64_t left(const Entry& e) const;
  bool attach(Entry& e);
  void detach(Entry& e);
  size_t detach_some(Address who, uint64_t (&numbers)[kSome]);
  Receivers& receivers(Address who) { return receivers_[pid_slot(who.word()) % kShards]; }
  const Receivers& receivers(Address who) const {
    return receivers_[pid_slot(who.word()) % kShards];
  }
  Shard& shard(uint64_t number) { return shards_[number % kShards]; }
  const Shard& shard(uint64_t number) const { return shards_[number % kShards]; }

  Vm& vm_;
  Shard shards_[kShards];
  Receivers receivers_[kShards];
};

}  // namespace wb
