#include "base/large_blocks.h"
#include "base/ranked_lock.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/base.h"
#include "base/live_bytes.h"
#include "base/memory_limit.h"

namespace wb {
namespace {

constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;
constexpr size_t kAlwaysKept = size_t{64} << 20;
constexpr size_t kMostKept = 32;

size_t round_up(size_t n, size_t to) { return (n + to - 1) & ~(to - 1); }
/// What is mapped for `n` bytes. An end of a quarter of a huge page or more becomes a whole one:
/// clearing that at once takes less time than a fault for each of its pages.
size_t mapped_bytes(size_t n) {
  const size_t pages = round_up(n, kPage), end = pages & (kHugePage - 1);
  return end >= kHugePage / 4 ? pages - end + kHugePage : pages;
}

struct Block {
  char* at = nullptr;   ///< starts at a huge page
  size_t bytes = 0;     ///< whole pages
  bool waited = false;  ///< since the last look for unused ones

  void unmap() const {
    if (bytes) munmap(at, bytes);
  }
  /// Takes away what lies behind the first `n` bytes. What of it could be a block is returned, the
  /// rest unmapped.
  Block split(size_t n) {
    size_t next = std::min(round_up(n, kHugePage), bytes);
    if (bytes - next < kLargeBlock) next = bytes;
    Block{at + n, next - n}.unmap();
    Block rest{at + next, bytes - next, waited};
    bytes = n;
    return rest;
  }
};

/// Of the OS process, as what is resident is. In the order in which they came.
class Kept {
 public:
  Block take_block(size_t bytes) {
    std::lock_guard guard(lock_);
    size_t best = count_;
    for (size_t i = 0; i < count_; ++i) {
      if (blocks_[i].bytes >= bytes && (best == count_ || blocks_[i].bytes < blocks_[best].bytes))
        best = i;
    }
    return best < count_ ? remove(best) : Block{};
  }
  /// Something else has to go when there is too much.
  void add(Block block, size_t limit) {
    if (block.bytes > limit) return block.unmap();
    for (;;) {
      Block oldest;
      {
        std::lock_guard guard(lock_);
        if (count_ < kMostKept && bytes() + block.bytes <= limit) {
          blocks_[count_++] = block;
          bytes_.fetch_add(block.bytes, std::memory_order_relaxed);
          return;
        }
        oldest = remove(0);
      }
      oldest.unmap();
    }
  }
  bool release_one(bool waited_only) {
    Block block;
    {
      std::lock_guard guard(lock_);
      for (size_t i = 0; i < count_ && !block.bytes; ++i) {
        if (blocks_[i].waited || !waited_only) block = remove(i);
      }
    }
    block.unmap();
    return block.bytes != 0;
  }
  /// The one that came last; none if there is none.
  Block take_last() {
    std::lock_guard guard(lock_);
    return count_ ? remove(count_ - 1) : Block{};
  }
  void all_wait() {
    std::lock_guard guard(lock_);
    for (size_t i = 0; i < count_; ++i) blocks_[i].waited = true;
  }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  size_t count() {
    std::lock_guard guard(lock_);
    return count_;
  }
  /// Only one caller each kKeptLargeNs.
  bool is_time(uint64_t now_ns) {
    uint64_t last = looked_ns_.load(std::memory_order_relaxed);
    return now_ns - last >= kKeptLargeNs &&
           looked_ns_.compare_exchange_strong(last, now_ns, std::memory_order_relaxed);
  }

 private:
  Block remove(size_t i) {
    Block block = blocks_[i];
    std::copy(blocks_ + i + 1, blocks_ + count_, blocks_ + i);
    --count_;
    bytes_.fetch_sub(block.bytes, std::memory_order_relaxed);
    return block;
  }

  RankedLock<LockRank::large_blocks> lock_;
  Block blocks_[kMostKept];
  size_t count_ = 0;
  std::atomic<size_t> bytes_{0};
  std::atomic<uint64_t> looked_ns_{0};
};
constinit Kept kept;

/// Blocks that somebody has, and what has been done to them.
struct Counts {
  std::atomic<int64_t> blocks{0}, bytes{0};
  std::atomic<uint64_t> reused{0}, mapped{0}, given{0};

  void takes(std::atomic<uint64_t>& how, size_t n) {
    how.fetch_add(1, std::memory_order_relaxed);
    blocks.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(static_cast<int64_t>(n), std::memory_order_relaxed);
  }
  void gives(size_t n) {
    given.fetch_add(1, std::memory_order_relaxed);
    blocks.fetch_sub(1, std::memory_order_relaxed);
    bytes.fetch_sub(static_cast<int64_t>(n), std::memory_order_relaxed);
  }
};
constinit Counts counts;

size_t limit() {
  size_t used = static_cast<size_t>(live_bytes(Live::heaps));
  return std::min(std::max(kAlwaysKept, used / 8), memory_limit() / 8);
}

void keep(Block block) {
  block.waited = false;
  if (block.bytes) kept.add(block, limit());
}

}  // namespace

void* take_large_block(size_t bytes) {
  if (kept.bytes() == 0) return nullptr;
  Block block = kept.take_block(mapped_bytes(bytes));
  if (!block.at) return nullptr;
  if (Block rest = block.split(mapped_bytes(bytes)); rest.bytes) kept.add(rest, limit());
  counts.takes(counts.reused, block.bytes);
  return block.at;
}

/// Blocks that are kept but too small become the beginning of a new one: their pages move, and need
/// not be cleared. False: what was mapped there is gone.
static bool move_kept(char* to, size_t bytes) {
  while (bytes >= kHugePage) {
    Block block = kept.take_last();
    if (!block.bytes) return true;
    const size_t n = std::min(block.bytes, bytes) & ~(kHugePage - 1);
    if (Block rest = block.split(n); rest.bytes) kept.add(rest, limit());
    if (mremap(block.at, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
      // Linux before 6.17 moves none that was put together itself.
      block.unmap();
      void* anew =
          mmap(to, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      if (anew == MAP_FAILED) return false;
      madvise(to, n, MADV_HUGEPAGE);
    }
    to += n, bytes -= n;
  }
  return true;
}

// What alignment leaves over goes back at once.
void* map_large_block(size_t bytes) {
  size_t size = mapped_bytes(bytes);
  void* raw =
      mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  char* from = static_cast<char*>(raw);
  size_t before = -reinterpret_cast<uintptr_t>(from) & (kHugePage - 1);
  if (before) munmap(from, before);
  if (before < kHugePage) munmap(from + before + size, kHugePage - before);
  char* block = from + before;
  madvise(block, size, MADV_HUGEPAGE);
  if (kept.bytes() == 0 || move_kept(block, size)) {
    counts.takes(counts.mapped, size);
    return block;
  }
  munmap(block, size);
  return nullptr;
}

void give_large_block(void* block, size_t bytes) {
  counts.gives(mapped_bytes(bytes));
  keep({static_cast<char*>(block), mapped_bytes(bytes)});
}

void shrink_large_block(void* block, size_t bytes, size_t new_bytes) {
  Block whole{static_cast<char*>(block), mapped_bytes(bytes)};
  const size_t before = whole.bytes;
  keep(whole.split(mapped_bytes(new_bytes)));
  counts.bytes.fetch_sub(static_cast<int64_t>(before - whole.bytes), std::memory_order_relaxed);
}

void unmap_large_block(void* block, size_t bytes) {
  counts.gives(mapped_bytes(bytes));
  munmap(block, mapped_bytes(bytes));
}

size_t large_bytes_kept() { return kept.bytes(); }

LargeBlockUse large_block_use() {
  const auto read = [](const auto& n) { return n.load(std::memory_order_relaxed); };
  return {read(counts.blocks),
          read(counts.bytes),
          static_cast<int64_t>(kept.count()),
          static_cast<int64_t>(kept.bytes()),
          read(counts.reused),
          read(counts.mapped),
          read(counts.given)};
}

void release_unused_large_blocks(uint64_t now_ns) {
  if (!kept.is_time(now_ns)) return;
  while (kept.release_one(true)) {
  }
  kept.all_wait();
}

bool release_large_blocks() {
  bool any = false;
  while (kept.release_one(false)) any = true;
  return any;
}

}  // namespace wb
