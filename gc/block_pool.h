// Memory for heap blocks and fragments: size-class free lists, one set per thread, over malloc.
//
// A process that is born, collects once and dies asks for three or four blocks of the same few
// sizes; a list of the blocks this thread freed last answers in 7 ns what jemalloc answers in 15 to
// 34. Classes follow jemalloc's (four steps per doubling), so a block wastes nothing it did not
// waste before. A block may be freed on another thread than it was made on: it joins that thread's
// list. Lists are bounded in bytes and go back to malloc when their thread ends.
//
// Blocks of 4 MiB and more are mapped on their own (base/large_blocks.h) and can give their end
// back.
//
// Rejected: one jemalloc arena per scheduler (437 ns without its cache, and blocks travel between
// schedulers anyway), and a VM-wide pool (a lock, or a contended line, per block).
//
// Under AddressSanitizer and where an instance poisons (--gc-stress) the lists are bypassed, so
// that a stale pointer is seen.
#pragma once

#include <cstddef>

namespace wb {

/// `bytes` of memory, 16-byte aligned, or nullptr when memory is out.
void* pool_alloc(size_t bytes);
/// For those who cannot go on without: ends the VM when memory is out. `type`: as out_of_memory has
/// it.
void* must_pool_alloc(size_t bytes, const char* type);
/// `bytes` is what pool_alloc was asked for.
void pool_free(void* block, size_t bytes);
/// Gives the end of a large block back without moving it. False: not possible, nothing changed.
bool pool_shrink(void* block, size_t bytes, size_t new_bytes);
/// Gives this thread's lists back to malloc (an idle scheduler does).
void pool_trim();
/// Bytes on this thread's lists.
size_t pool_cached_bytes();

}  // namespace wb
