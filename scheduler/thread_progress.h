// When may memory that other threads read without a lock be freed? When each of them has passed a
// point at which it holds no such pointer.
//
// Workers pass such a point between slices: `quiescent` copies the global epoch into the worker's
// own line. A sleeping worker is offline and holds nobody up. What is retired gets the next epoch
// as its ticket, after it was unlinked; once every line shows that epoch or later (or offline), no
// one can hold the pointer, and the callback runs. The same serves code switching: a new table is
// installed, and `when_all_passed` tells when every worker has seen it.
//
// Why it is right. Unlink, then take a ticket (read-modify-write of epoch_). A worker whose line
// shows the ticket has read that epoch with acquire, hence sees the unlink from then on; its uses
// before ended before the release store of its line. Coming online is the Dekker case: the worker
// stores its line, then reads the epoch again, all sequentially consistent; the reclaimer takes the
// ticket, then reads the lines. Either the reclaimer sees the line, or the worker's second read
// sees the ticket and with it the unlink.
//
// Nothing is forgotten when everybody sleeps: a thread that goes offline looks for what can be
// freed after it has stored its line, so of the last two going to sleep at least one sees both.
// Retiring costs an append to a buffer of one's own; tickets are taken per batch.
//
// Retiring never runs a callback, not even of what everybody has passed already: who retires often
// holds the very lock that the callback takes. Callbacks run where nothing is held: on a worker
// between slices, in `reclaim` and `drain`, and at the end of a ReaderGuard.
//
// Rejected: hazard pointers (a fence per read), reference counts (shared lines), stopping the
// world.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/base.h"

namespace wb {

class ThreadProgress {
 public:
  using Free = void (*)(void*);
  static constexpr uint32_t kReaders = 64;  ///< threads inside a ReaderGuard at once
  static constexpr uint32_t kNobody = ~uint32_t{0};

  explicit ThreadProgress(uint32_t workers);
  ~ThreadProgress();
  void drain();  ///< all threads are gone: frees everything that was retired

  // --- by worker number `who`, on its own thread ---
  void online(uint32_t who);
  void quiescent(uint32_t who) {
    Line& line = lines_[who];
    uint64_t epoch = epoch_.load(std::memory_order_acquire);
    if (WB_UNLIKELY(line.seen.load(std::memory_order_relaxed) != epoch)) {
      line.seen.store(epoch, std::memory_order_release);
    }
  }
  /// Holds no pointer from now on. Frees nothing; see `reclaim`.
  void offline(uint32_t who);

  // --- from any thread (`who`: the worker, or kNobody) ---
  /// Calls free(object) on some thread when all have passed, never at once. From kNobody, somebody
  /// must be made to look (Scheduler::retire wakes a sleeper).
  void retire(void* object, Free free, uint32_t who);
  /// The same, without waiting for a batch to fill.
  void when_all_passed(void* argument, Free callback, uint32_t who);
  /// Hands over what `who` has buffered; before it sleeps, and now and then.
  void flush(uint32_t who);
  /// Anything that could become free?
  bool pending() const { return oldest_.load(std::memory_order_seq_cst) != kOffline; }

  struct Entry {
    void* object;
    Free free;
  };
  using Entries = std::vector<Entry>;
  /// What all have passed, for the caller to `run` while online itself or outside of everything.
  Entries collect();
  static void run(Entries& entries);
  /// Both, by who holds no lock.
  void reclaim() {
    Entries entries = collect();
    run(entries);
  }

 private:
  friend class ReaderGuard;
  static constexpr uint64_t kOffline = ~uint64_t{0};
  static constexpr uint64_t kFree = kOffline - 1;  ///< a reader's line that nobody uses
  static constexpr size_t kBatch = 64;

  struct alignas(128) Line {
    std::atomic<uint64_t> seen{kOffline};
    Entries buffer;  ///< its thread's own
  };
  struct Batch {
    uint64_t epoch;
    Entries entries;
  };

  void enter(Line& line);
  void submit(Entries entries);

  const uint32_t workers_;
  std::unique_ptr<Line[]> lines_;  ///< workers, then readers
  alignas(128) std::atomic<uint64_t> epoch_{1};
  std::atomic<uint64_t> oldest_{kOffline};  ///< epoch of the first batch
  std::atomic<uint32_t> readers_{0};        ///< lines of readers that were ever used
  std::mutex mutex_;
  std::deque<Batch> batches_;  ///< under mutex_, epochs ascending
};

/// A thread that is no worker reads shared structures only inside one of these. Keep it short: it
/// holds up reclamation for everybody. What waited for it alone is freed where it ends: hold no
/// lock there.
class ReaderGuard {
 public:
  explicit ReaderGuard(ThreadProgress& progress);
  ~ReaderGuard();
  ReaderGuard(const ReaderGuard&) = delete;

 private:
  ThreadProgress& progress_;
  ThreadProgress::Line* line_;
};

}  // namespace wb
