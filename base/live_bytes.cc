#include "base/live_bytes.h"

#include <algorithm>

#include "base/instance.h"

namespace wb {
namespace {

/// All LiveCells of the program: what is resident is known of the program only, so what an instance
/// may still take depends on what the others have.
struct Everyone {
  std::mutex lock;
  LiveCells* first = nullptr;
  std::atomic<uint32_t> count{0};
};
Everyone& everyone() {
  static Everyone& one = *new Everyone;  // lives until the last thread has ended
  return one;
}

/// Of threads that work for no instance: tools, tests.
LiveCells& nobody() {
  static LiveCells& one = *new LiveCells;
  return one;
}
LiveCells& mine() { return this_instance ? this_instance->live : nobody(); }

/// The cell of a thread without an instance goes to the next one.
struct AtThreadEnd {
  LiveCell* cell = nullptr;
  ~AtThreadEnd() {
    if (cell) nobody().give_back(cell);
  }
};
thread_local AtThreadEnd at_thread_end;

}  // namespace

LiveCells::LiveCells() {
  Everyone& all = everyone();
  std::lock_guard lock(all.lock);
  after_ = all.first;
  if (after_) after_->before_ = this;
  all.first = this;
  all.count.fetch_add(1, std::memory_order_relaxed);
}

LiveCells::~LiveCells() {
  {
    Everyone& all = everyone();
    std::lock_guard lock(all.lock);
    (before_ ? before_->after_ : all.first) = after_;
    if (after_) after_->before_ = before_;
    all.count.fetch_sub(1, std::memory_order_relaxed);
  }
  while (LiveCell* cell = all_) {
    all_ = cell->next;
    delete cell;
  }
}

LiveCell* LiveCells::take() {
  std::lock_guard lock(lock_);
  LiveCell* cell = spares_;
  if (cell) {
    spares_ = cell->next_spare;
  } else {
    cell = new LiveCell;
    cell->next = all_;
    all_ = cell;
  }
  return cell;
}

void LiveCells::give_back(LiveCell* cell) {
  std::lock_guard lock(lock_);
  cell->next_spare = spares_;
  spares_ = cell;
}

int64_t LiveCells::sum(Live kind) const {
  std::lock_guard lock(lock_);
  int64_t n = 0;
  for (LiveCell* c = all_; c; c = c->next) {
    n += c->bytes[static_cast<int>(kind)].load(std::memory_order_relaxed);
  }
  return std::max<int64_t>(n, 0);
}

LiveCell* make_live_cell() {
  live_cell = mine().take();
  if (!this_instance) at_thread_end.cell = live_cell;
  return live_cell;
}

int64_t live_bytes(Live kind) { return mine().sum(kind); }

int64_t live_bytes_elsewhere() {
  Everyone& all = everyone();
  const LiveCells& own = mine();
  if (all.count.load(std::memory_order_relaxed) == 1) return 0;
  std::lock_guard lock(all.lock);
  int64_t n = 0;
  for (LiveCells* cells = all.first; cells; cells = cells->after_) {
    if (cells != &own) n += cells->sum(Live::heaps) + cells->sum(Live::binaries);
  }
  return n;
}

}  // namespace wb
