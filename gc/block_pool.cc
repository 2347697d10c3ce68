#include "gc/block_pool.h"

#include <cstdint>
#include <cstdlib>

#include "base/base.h"
#include "base/sanitizers.h"

// Defined by jemalloc only; without it large blocks are not shrunk in place.
extern "C" size_t xallocx(void* ptr, size_t size, size_t extra, int flags) __attribute__((weak));

namespace wb {

bool gc_poison = false;

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

bool bypassed() { return kAsan || WB_UNLIKELY(gc_poison); }

constexpr Word kPoison = 0xdeadbeefdeadbee2;  // a boxed pointer no machine can follow

void free_poisoned(void* block, size_t bytes) {
  auto* w = static_cast<Word*>(block);
  for (size_t i = 0; i < bytes / 8; ++i) w[i] = kPoison;
  free(block);
}

}  // namespace

void* pool_alloc(size_t bytes) {
  if (bytes > kLargest) return malloc(bytes);
  SizeClass c = class_of(bytes);
  if (FreeBlock* b = lists.head[c.index]) {
    lists.head[c.index] = b->next;
    --lists.count[c.index];
    lists.bytes -= c.bytes;
    return b;
  }
  return malloc(c.bytes);
}

void pool_free(void* block, size_t bytes) {
  if (bypassed()) return free_poisoned(block, bytes);
  if (bytes > kLargest) return free(block);
  SizeClass c = class_of(bytes);
  unsigned most = static_cast<unsigned>(kClassBytes / c.bytes);
  if (lists.count[c.index] >= (most < kMaxBlocks ? most : kMaxBlocks)) return free(block);
  if (WB_UNLIKELY(!lists.registered)) lists.registered = at_thread_end.armed = true;
  auto* b = static_cast<FreeBlock*>(block);
  b->next = lists.head[c.index];
  lists.head[c.index] = b;
  ++lists.count[c.index];
  lists.bytes += c.bytes;
}

bool pool_shrink(void* block, size_t bytes, size_t new_bytes) {
  // A block must be freed with the class it was made in, so only blocks beyond the lists shrink.
  if (new_bytes <= kLargest || !xallocx) return false;
  return xallocx(block, new_bytes, 0, 0) < bytes;
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
