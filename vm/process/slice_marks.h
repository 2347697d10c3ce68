// Which processes have had a slice since the observer looked: so of a million of which a thousand
// have done anything, a thousand are looked at. Two readers look at times of their own: the table's
// ticks (table_scan.h) and the search for what looks wrong (suspects.h).
//
// A byte stands for kSlots neighbours of the table, which mostly share a page; each reader has two
// bits of it. A slice that begins sets all of it, if it is not set: while many run, they only read
// it. A reader turns what is set for it into `seen`, waits until every thread has got that far
// (membarrier), and looks at those processes. Then nothing is missed:
//   slice     stores state = running; loads the mark; sets it if it was not; runs; stores what it
//             has changed; stores state = something else
//   reader    stores kSeen; membarrier; loads the state, then what there is to see
// A slice that loaded the mark before it became kSeen has stored its state before the barrier: it
// shows as running, or as over, with what it has changed. One that runs is marked by the reader
// for its next look. Any other slice sets the mark, for the next look.
//
// Slices only ever store kAllSet, and both readers are the observer's thread. So a reader that
// fails to exchange a mark finds it set.
//
// Rejected: a bit a process (an atomic operation a slice), and a list of who ran (most run often).
#pragma once

#include <atomic>
#include <cstdint>

namespace wb {

class SliceMarks {
 public:
  static constexpr uint32_t kSlots = 8;
  enum class Reader : uint8_t { table, suspects };

  ~SliceMarks();

  /// Of the process in slot `slot`, by its slice.
  void mark(uint32_t slot) {
    std::atomic<uint8_t>* marks = marks_.load(std::memory_order_acquire);
    if (!marks) return;
    std::atomic<uint8_t>& m = marks[slot / kSlots];
    if (m.load(std::memory_order_relaxed) != kAllSet) m.store(kAllSet, std::memory_order_release);
  }

  // --- for the observer ---
  /// Room for so many slots, once. False: there is none. What runs already is not marked, so a
  /// reader looks at all first, and marks what runs.
  bool start(Reader reader, uint32_t slots);
  bool on() const { return readers_ != 0; }
  void forget(Reader reader);  ///< the last one gives the memory back
  /// What is set below `slots` becomes seen. From then on nothing of earlier slices is hidden.
  void begin_look(Reader reader, uint32_t slots);
  /// Which marks from `from` on, 8 of them, are not clear: a byte each.
  uint64_t read_eight(Reader reader, uint32_t from) const;
  bool is_set(Reader reader, uint32_t mark) const;
  /// It has been looked at; `again`: one of them still runs.
  void finish_look(Reader reader, uint32_t mark, bool again);

 private:
  enum State : uint8_t { kClear = 0, kSeen = 1, kSet = 2 };
  static constexpr uint32_t kBits = 2;
  static constexpr uint8_t kAllSet = kSet | kSet << kBits;
  static constexpr uint32_t shift_of(Reader reader) {
    return static_cast<uint32_t>(reader) * kBits;
  }
  static State state_of(Reader reader, uint8_t mark) {
    return static_cast<State>(mark >> shift_of(reader) & 3);
  }
  static void change(std::atomic<uint8_t>& mark, Reader reader, State from, State to);

  std::atomic<std::atomic<uint8_t>*> marks_{nullptr};
  size_t bytes_ = 0;
  uint32_t readers_ = 0;  ///< a bit each
};

/// Every thread of ours has done whatever it had begun to write; false: the kernel cannot say.
bool barrier_for_all_threads();

}  // namespace wb
