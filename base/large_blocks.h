// Memory in blocks of 4 MiB and more, mapped on their own and, for a moment, kept.
//
// They stand in huge pages where the system has them: a collection then takes half the time. A page
// that is new is cleared by the kernel, which costs more than what a collection or a BIF writes
// into it (nine tenths of the time of binary_to_list on 2 MB were clear_page, twenty milliseconds
// in which nothing else could run). So what was given back is kept for the next who asks, and goes
// back to the system when nobody has for a tenth of a second or two: clearing what is asked for
// less often is a few percent of the time. A heap that grows wants blocks larger than all that are
// kept: then the kept pages are moved into the new block (of 400 MB that compiling erl_parse
// mapped, a hundred were ever used at a time).
//
// What is kept is part of no count but the resident size: at most 64 MB or an eighth of what the
// heaps in use take, and an eighth of the memory there may be. Who finds too little memory gives
// it all back before anything is refused (memory_limit.h); so does who collects a large heap
// because a program said so.
//
// Rejected: MADV_FREE (the pages are cleared again, only later), and malloc for these too (jemalloc
// keeps its blocks for ten seconds, in small pages).
#pragma once

#include <cstddef>
#include <cstdint>

namespace wb {

constexpr size_t kLargeBlock = size_t{4} << 20;

/// A block of at least kLargeBlock bytes that was kept; nullptr: none is large enough.
void* take_large_block(size_t bytes);
/// A new one, as far as it goes of kept memory; nullptr: memory is out.
void* map_large_block(size_t bytes);
/// `bytes`: what it was asked for. Its memory is kept for a while.
void give_large_block(void* block, size_t bytes);
/// Gives its end back; the rest stays a large block.
void shrink_large_block(void* block, size_t bytes, size_t new_bytes);
/// Gives it to the system: nobody may read what was in it.
void unmap_large_block(void* block, size_t bytes);

/// Bytes that are kept.
size_t large_bytes_kept();
struct LargeBlockUse {
  int64_t blocks, bytes;            ///< that somebody has
  int64_t kept_blocks, kept_bytes;  ///< that nobody has
  uint64_t reused, mapped, given;   ///< so far: taken of those kept; anew; given back
};
LargeBlockUse large_block_use();
/// To be called now and then: what nobody asked for goes back to the system.
constexpr uint64_t kKeptLargeNs = 100'000'000;
void release_unused_large_blocks(uint64_t now_ns);
/// All of it goes back. False: there was nothing.
bool release_large_blocks();

}  // namespace wb
