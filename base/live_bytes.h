// How many bytes (binary_count: objects) of a kind are in use, counted where they are taken and
// given back.
//
// Each thread adds to a line of its own, so counting costs no more than an addition; the sum is
// taken when somebody asks. What a thread has counted stays when it ends: blocks travel between
// threads, so a thread's own number may well be negative.
#pragma once

#include <atomic>
#include <cstdint>

namespace wb {

enum class Live : uint8_t { heaps, binaries, binary_count, count };

struct alignas(64) LiveCell {
  std::atomic<int64_t> bytes[static_cast<int>(Live::count)]{};
  LiveCell* next = nullptr;
  LiveCell* next_spare = nullptr;
};
/// This thread's cell, made at its first use.
inline constinit thread_local LiveCell* live_cell = nullptr;
LiveCell* make_live_cell();

inline void count_live(Live kind, int64_t bytes) {
  LiveCell* cell = live_cell ? live_cell : make_live_cell();
  std::atomic<int64_t>& n = cell->bytes[static_cast<int>(kind)];
  n.store(n.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}
/// Of all threads.
int64_t live_bytes(Live kind);

}  // namespace wb
