#include "term/literal_area.h"
#include "base/ranked_lock.h"

#include <sys/mman.h>

#include <map>
#include <mutex>

#include "base/memory_limit.h"
#include "base/out_of_memory.h"
#include "base/sanitizers.h"

namespace wb {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kCommit = size_t{1} << 21;  // pages get memory in steps of 2 MiB
constexpr size_t kSmallestRange = size_t{1} << 26;

struct Reservation {
  char* base;
  size_t bytes;
};

/// Takes the largest range the system gives. Called once, by whoever needs it first.
Reservation reserve() {
  for (size_t bytes = kLiteralRange; bytes >= kSmallestRange; bytes /= 4) {
    if (bytes > reservation_limit() && bytes > kSmallestRange) continue;
    void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    leak_root(p, bytes);
    return {static_cast<char*>(p), bytes};
  }
  out_of_memory("literal", kSmallestRange);
}

const Reservation& reservation() {
  static const Reservation r = reserve();
  return r;
}

/// Whole pages of the range. Free runs are merged; the lowest that fits is taken.
class LiteralPages {
 public:
  char* allocate(size_t bytes) {
    std::lock_guard lock(mutex_);
    used_ += bytes;
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->second < bytes) continue;
      char* p = it->first;
      size_t rest = it->second - bytes;
      free_.erase(it);
      if (rest) free_.emplace(p + bytes, rest);
      asan_unpoison(p, bytes);
      return p;
    }
    return extend(bytes);
  }

  void give_back(char* p, size_t bytes) {
    madvise(p, bytes, MADV_DONTNEED);  // the memory goes, and the next owner finds zeros
    asan_poison(p, bytes);
    std::lock_guard lock(mutex_);
    used_ -= bytes;
    auto next = free_.lower_bound(p);
    if (next != free_.end() && p + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == p) {
        before->second += bytes;
        return;
      }
    }
    free_.emplace(p, bytes);
  }

  size_t used() {
    std::lock_guard lock(mutex_);
    return used_;
  }

 private:
  char* extend(size_t bytes) {
    const Reservation& range = reservation();
    if (bytes > range.bytes - taken_) out_of_memory("literal", bytes);
    size_t wanted = taken_ + bytes;
    if (wanted > committed_) {
      size_t to = (wanted + kCommit - 1) / kCommit * kCommit;
      if (to > range.bytes) to = range.bytes;
      if (mprotect(range.base + committed_, to - committed_, PROT_READ | PROT_WRITE))
        out_of_memory("literal", to - committed_);
      committed_ = to;
    }
    char* p = range.base + taken_;
    taken_ = wanted;
    return p;
  }

  RankedLock<LockRank::literal_areas> mutex_;
  std::map<char*, size_t> free_;
  size_t taken_ = 0, committed_ = 0, used_ = 0;
};

LiteralPages& pages() {
  static LiteralPages& p = *new LiteralPages;  // never destroyed: areas may outlive main
  return p;
}

}  // namespace

LiteralRange::LiteralRange() : base(reservation().base), bytes(reservation().bytes) {}
__attribute__((init_priority(101))) const LiteralRange literal_range;

size_t literal_bytes_used() { return pages().used(); }

Term* LiteralArea::alloc_slow(size_t n) {
  // The first block is small (most modules have few literals), later ones double.
  size_t bytes = sizeof(Block) + n * sizeof(Term);
  size_t at_least = words_ * sizeof(Term);
  if (at_least > kCommit) at_least = kCommit;
  if (bytes < at_least) bytes = at_least;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  auto* b = reinterpret_cast<Block*>(pages().allocate(bytes));
  b->next = blocks_;
  b->words = (bytes - sizeof(Block)) / sizeof(Term);
  blocks_ = b;
  words_ += b->words;
  // An oversized request must not throw away the room left in the current block.
  if (b->words - n < static_cast<size_t>(limit_ - top_)) return b->data;
  top_ = b->data + n;
  limit_ = b->data + b->words;
  return b->data;
}

bool LiteralArea::contains(const void* p) const {
  for (Block* b = blocks_; b; b = b->next)
    if (static_cast<size_t>(static_cast<const Term*>(p) - b->data) < b->words) return true;
  return false;
}

LiteralArea::~LiteralArea() {
  for (Term* p = off_heap_; p;) {
    auto* next = reinterpret_cast<Term*>(p[2]);
    reinterpret_cast<OffHeapObject*>(p[1])->release();
    p = next;
  }
  while (Block* b = blocks_) {
    blocks_ = b->next;
    pages().give_back(reinterpret_cast<char*>(b), sizeof(Block) + b->words * sizeof(Term));
  }
}

}  // namespace wb
