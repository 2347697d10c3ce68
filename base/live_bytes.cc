#include "base/live_bytes.h"

#include <mutex>

namespace wb {
namespace {

struct Cells {
  std::mutex lock;
  LiveCell* all = nullptr;     ///< never freed: what a thread has counted outlives it
  LiveCell* spares = nullptr;  ///< those of threads that have ended
};
Cells& cells() {
  static Cells& one = *new Cells;  // lives until the last thread has ended
  return one;
}

/// Gives the cell to the next thread that starts, with what is in it.
struct AtThreadEnd {
  LiveCell* cell = nullptr;
  ~AtThreadEnd() {
    if (!cell) return;
    std::lock_guard lock(cells().lock);
    cell->next_spare = cells().spares;
    cells().spares = cell;
    live_cell = nullptr;
  }
};
thread_local AtThreadEnd at_thread_end;

}  // namespace

LiveCell* make_live_cell() {
  std::lock_guard lock(cells().lock);
  LiveCell* cell = cells().spares;
  if (cell) {
    cells().spares = cell->next_spare;
  } else {
    cell = new LiveCell;
    cell->next = cells().all;
    cells().all = cell;
  }
  at_thread_end.cell = cell;
  return live_cell = cell;
}

int64_t live_bytes(Live kind) {
  std::lock_guard lock(cells().lock);
  int64_t n = 0;
  for (LiveCell* c = cells().all; c; c = c->next) {
    n += c->bytes[static_cast<int>(kind)].load(std::memory_order_relaxed);
  }
  return n > 0 ? n : 0;
}

}  // namespace wb
