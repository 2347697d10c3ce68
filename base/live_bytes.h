// How many bytes (binary_count: objects) of a kind an instance has in use, counted where they are
// taken and given back.
//
// Each thread adds to a line of its own, so counting costs no more than an addition; the sum is
// taken when somebody asks. What a thread has counted stays when it ends: blocks travel between
// threads, so a thread's own number may well be negative.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace wb {

enum class Live : uint8_t { heaps, binaries, binary_count, count };

struct alignas(64) LiveCell {
  std::atomic<int64_t> bytes[static_cast<int>(Live::count)]{};
  LiveCell* next = nullptr;
  LiveCell* next_spare = nullptr;
};

/// The cells of an instance, one for each thread that works for it.
class LiveCells {
 public:
  LiveCells();
  ~LiveCells();
  LiveCells(const LiveCells&) = delete;

  LiveCell* take();
  /// For the next thread that comes, with what is in it.
  void give_back(LiveCell* cell);
  int64_t sum(Live kind) const;

 private:
  friend int64_t live_bytes_elsewhere();
  mutable std::mutex lock_;
  LiveCell* all_ = nullptr;
  LiveCell* spares_ = nullptr;
  LiveCells *before_ = nullptr, *after_ = nullptr;  ///< of the program's
};

/// This thread's cell, made at its first use.
inline constinit thread_local LiveCell* live_cell = nullptr;
LiveCell* make_live_cell();

inline void count_live(Live kind, int64_t bytes) {
  LiveCell* cell = live_cell ? live_cell : make_live_cell();
  std::atomic<int64_t>& n = cell->bytes[static_cast<int>(kind)];
  n.store(n.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}
/// Of all threads of this thread's instance.
int64_t live_bytes(Live kind);
/// What the program's other instances have on heaps and in binaries.
int64_t live_bytes_elsewhere();

}  // namespace wb
