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

constexpr size_t class_bytes(unsigned index) {
  return index == 0 ? 64 : (size_t{(index - 1) % 4 + 5} << ((index - 1) / 4)) * 16;
}

/// How many blocks of each class one list may hold (a division a block would cost more than the
/// rest).
struct Limits {
  uint16_t most[kClasses] = {};
  constexpr Limits() {
    for (unsigned i = 0; i < kClasses; ++i) {
      size_t fit = kClassBytes / class_bytes(i);
      most[i] = static_cast<uint16_t>(fit < kMaxBlocks ? fit : kMaxBlocks);
    }
  }
};
constexpr Limits kLimits;

struct FreeBlock {
  FreeBlock* next;
};
struct List {
  FreeBlock* head;
  uint32_t room;  ///< for so many more; 0 of a thread that has not registered
};
struct Lists {
  List of[kClasses];
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

WB_COLD void* alloc_counted(size_t bytes) {
  void* block = alloc_large(bytes);
  if (block) count_live(Live::heaps, static_cast<int64_t>(bytes));
  return block;
}

constexpr Word kPoison = 0xdeadbeefdeadbee2;  // a boxed pointer no machine can follow

void free_poisoned(void* block, size_t bytes) {
  auto* w = static_cast<Word*>(block);
  for (size_t i = 0; i < bytes / 8; ++i) w[i] = kPoison;
  free(block);
}

WB_COLD void free_unlisted(void* block, size_t bytes) {
  if (bytes >= kMapped) {
    return WB_UNLIKELY(poisons_freed) ? unmap_large_block(block, bytes)
                                      : give_large_block(block, bytes);
  }
  bypassed() ? free_poisoned(block, bytes) : free(block);
}

void empty_lists() {
  for (unsigned i = 0; i < kClasses; ++i) lists.of[i].room = kLimits.most[i];
}
/// The list has none left, or this thread none yet.
WB_COLD bool make_room(List& list) {
  if (lists.registered) return false;
  lists.registered = at_thread_end.armed = true;
  empty_lists();
  return list.room;
}

}  // namespace

void* pool_alloc(size_t bytes) {
  if (WB_UNLIKELY(bytes > kLargest)) return alloc_counted(bytes);
  count_live(Live::heaps, static_cast<int64_t>(bytes));
  SizeClass c = class_of(bytes);
  List& list = lists.of[c.index];
  if (FreeBlock* b = list.head) {
    list.head = b->next;
    ++list.room;
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
  if (WB_UNLIKELY(bytes > kLargest) || bypassed()) return free_unlisted(block, bytes);
  List& list = lists.of[class_of(bytes).index];
  if (WB_UNLIKELY(!list.room) && !make_room(list)) return free(block);
  auto* b = static_cast<FreeBlock*>(block);
  b->next = list.head;
  list.head = b;
  --list.room;
}

bool pool_shrink(void* block, size_t bytes, size_t new_bytes) {
  if (new_bytes < kMapped) return false;  // it would be freed as what it is not
  count_live(Live::heaps, static_cast<int64_t>(new_bytes) - static_cast<int64_t>(bytes));
  shrink_large_block(block, bytes, new_bytes);
  return true;
}

void pool_trim() {
  for (List& list : lists.of) {
    while (FreeBlock* b = list.head) {
      list.head = b->next;
      free(b);
    }
  }
  if (lists.registered) empty_lists();
}

size_t pool_cached_bytes() {
  size_t bytes = 0;
  for (unsigned i = 0; lists.registered && i < kClasses; ++i) {
    bytes += (kLimits.most[i] - lists.of[i].room) * class_bytes(i);
  }
  return bytes;
}

}  // namespace wb
