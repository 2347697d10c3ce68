// Which processes have had a slice since the observer looked: so of a million of which a thousand
// have done anything, a thousand are looked at (table_scan.h).
//
// A byte stands for kSlots neighbours of the table, which mostly share a page. A slice that begins
// sets it, if it is not set: while many run, they only read it. The observer turns what is set into
// `seen`, waits until every thread has got that far (membarrier), and looks at those processes.
// Then nothing is missed:
//   slice     stores state = running; loads the mark; stores kSet if it was not; runs; stores what
//             it has changed; stores state = something else
//   observer  stores kSeen; membarrier; loads what there is to see, and the state
// A slice that loaded the mark before it became kSeen has stored its state before the barrier: it
// shows as running, or as over, with what it has changed. One that runs is marked by the observer
// for the next look. Any other slice stores kSet, for the next look.
//
// Rejected: a bit a process (an atomic operation a slice), and a list of who ran (most run often).
#pragma once

#include <atomic>
#include <cstdint>

namespace wb {

class SliceMarks {
 public:
  static constexpr uint32_t kSlots = 8;
  static constexpr uint8_t kClear = 0, kSeen = 1, kSet = 2;

  ~SliceMarks();

  /// Of the process in slot `slot`, by its slice.
  void mark(uint32_t slot) {
    std::atomic<uint8_t>* marks = marks_.load(std::memory_order_acquire);
    if (!marks) return;
    std::atomic<uint8_t>& m = marks[slot / kSlots];
    if (m.load(std::memory_order_relaxed) != kSet) m.store(kSet, std::memory_order_release);
  }

  // --- for the observer ---
  /// Room for so many slots, once; all of them are set. False: there is none.
  bool start(uint32_t slots);
  bool on() const { return marks_.load(std::memory_order_relaxed); }
  void forget();  ///< gives the memory back
  /// What is set below `slots` becomes kSeen. From then on nothing of earlier slices is hidden.
  void begin_look(uint32_t slots);
  /// Which marks from `from` on, 8 of them, are not clear: a byte each.
  uint64_t read_eight(uint32_t from) const;
  bool is_set(uint32_t mark) const {
    return marks_.load(std::memory_order_relaxed)[mark].load(std::memory_order_relaxed) != kClear;
  }
  /// It has been looked at; `again`: one of them still runs.
  void finish_look(uint32_t mark, bool again);

 private:
  std::atomic<std::atomic<uint8_t>*> marks_{nullptr};
  size_t bytes_ = 0;
};

/// Every thread of ours has done whatever it had begun to write; false: the kernel cannot say.
bool barrier_for_all_threads();

}  // namespace wb
