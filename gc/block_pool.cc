#include "gc/block_pool.h"

#include <cstdint>
#include <cstdlib>

#include "base/base.h"
#include "base/instance.h"
#include "base/large_blocks.h"
#include "base/memory_limit.h"
#include "base/out_of_memory.h"
#include "base/sanitizers.h"

namespace wb {

namespace {

constexpr size_t kLargest = 32 * 1024;      // bytes; larger blocks go straight to malloc
constexpr size_t kClassBytes = 128 * 1024;  // what one list may hold
constexpr unsigned kMaxBlocks = 256;        // blocks on one list
constexpr unsigned kClasses = 37;

/// 0: up to 64 bytes, 1..4: 80 96 112 128, 5..8: 160 192 224 256 ... up to 32 KiB.
struct SizeClass {
  unsigned index;
  size_t bytes;
};
SizeClass class_of(size_t bytes) {
  if (bytes <= 64) return {0, 64};
  unsigned log =
      63 - static_cast<unsigned>(__builtin_clzl(bytes - 1));  // 2^log < bytes <= 2^(log+1)
  unsigned shift = log - 2;
  size_t steps = (bytes - 1) >> shift;  // 4..7
  return {(log - 6) * 4 + static_cast<unsigned>(steps - 4) + 1, (steps + 1) << shift};
}

/// How many blocks of each class one list may hold (a division a block would cost more than the
/// rest).
struct Limits {
  uint16_t most[kClasses] = {};
  constexpr Limits() {
    for (unsigned i = 0; i < kClasses; ++i) {
      size_t bytes = i == 0 ? 64 : (size_t{(i - 1) % 4 + 5} << ((i - 1) / 4)) * 16;
      size_t fit = kClassBytes / bytes;
      most[i] = static_cast<uint16_t>(fit < kMaxBlocks ? fit : kMaxBlocks);
    }
  }
};
constexpr Limits kLimits;

struct FreeBlock {
  FreeBlock* next;
};
struct Lists {
  FreeBlock* head[kClasses];
  uint16_t count[kClasses];
  size_t bytes;
  bool registered;
};
thread_local constinit Lists lists{};

struct AtThreadEnd {
  bool armed = false;
  ~AtThreadEnd() { pool_trim(); }
};
thread_local AtThreadEnd at_thread_end;

constexpr size_t kMapped = kAsan ? SIZE_MAX : kLargeBlock;

// --- small blocks --------------------------------------------------------------------------------

bool bypassed() { return kAsan || WB_UNLIKELY(poisons_freed); }

void* alloc_large(size_t bytes) {
  if (bytes >= kMapped) {
    if (void* block = take_large_block(bytes)) return block;
  }
  if (bytes >= kLargeRequest && !memory_has_room(bytes)) return nullptr;
  return bytes < kMapped ? malloc(bytes) : map_large_block(bytes);
}

constexpr Word kPoison = 0xdeadbeefdeadbee2;  // a boxed pointer no machine can follow

void free_poisoned(void* block, size_t bytes) {
  auto* w = static_cast<Word*>(block);
  for (size_t i = 0; i < bytes / 8; ++i) w[i] = kPoison;
  free(block);
}

}  // namespace

void* pool_alloc(size_t bytes) {
  if (bytes > kLargest) {
    void* block = alloc_large(bytes);
    if (block) count_live(Live::heaps, static_cast<int64_t>(bytes));
    return block;
  }
  count_live(Live::heaps, static_cast<int64_t>(bytes));
  SizeClass c = class_of(bytes);
  if (FreeBlock* b = lists.head[c.index]) {
    lists.head[c.index] = b->next;
    --lists.count[c.index];
    lists.bytes -= c.bytes;
    return b;
  }
  return malloc(c.bytes);
}

void* must_pool_alloc(size_t bytes, const char* type) {
  void* block = pool_alloc(bytes);
  if (WB_UNLIKELY(!block)) out_of_memory(type, bytes);
  return block;
}

void pool_free(void* block, size_t bytes) {
  count_live(Live::heaps, -static_cast<int64_t>(bytes));
  if (bytes >= kMapped) {
    return WB_UNLIKELY(poisons_freed) ? unmap_large_block(block, bytes)
                                      : give_large_block(block, bytes);
  }
  if (bypassed()) return free_poisoned(block, bytes);
  if (bytes > kLargest) return free(block);
  SizeClass c = class_of(bytes);
  if (lists.count[c.index] >= kLimits.most[c.index]) return free(block);
  if (WB_UNLIKELY(!lists.registered)) lists.registered = at_thread_end.armed = true;
  auto* b = static_cast<FreeBlock*>(block);
  b->next = lists.head[c.index];
  lists.head[c.index] = b;
  ++lists.count[c.index];
  lists.bytes += c.bytes;
}

bool pool_shrink(void* block, size_t bytes, size_t new_bytes) {
  if (new_bytes < kMapped) return false;  // it would be freed as what it is not
  count_live(Live::heaps, static_cast<int64_t>(new_bytes) - static_cast<int64_t>(bytes));
  shrink_large_block(block, bytes, new_bytes);
  return true;
}

void pool_trim() {
  for (unsigned i = 0; i < kClasses; ++i) {
    while (FreeBlock* b = lists.head[i]) {
      lists.head[i] = b->next;
      free(b);
    }
    lists.count[i] = 0;
  }
  lists.bytes = 0;
}

size_t pool_cached_bytes() { return lists.bytes; }

}  // namespace wb
