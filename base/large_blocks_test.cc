#include "base/large_blocks.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <utility>

#include "base/memory_limit.h"

namespace wb {

constexpr size_t kMb = size_t{1} << 20;

TEST_CASE("a large block that was given back is the next one, or a part of it") {
  release_large_blocks();
  CHECK(take_large_block(5 * kMb) == nullptr);
  auto* a = static_cast<char*>(map_large_block(20 * kMb + 1));
  REQUIRE(a);
  CHECK(reinterpret_cast<uintptr_t>(a) % (2 * kMb) == 0);
  memset(a, 1, 20 * kMb + 1);
  give_large_block(a, 20 * kMb + 1);
  CHECK(large_bytes_kept() == 20 * kMb + 4096);
  CHECK(take_large_block(21 * kMb) == nullptr);
  auto* b = static_cast<char*>(take_large_block(9 * kMb));
  CHECK(b == a);
  CHECK(large_bytes_kept() == 10 * kMb + 4096);  // from the next huge page on
  auto* c = static_cast<char*>(take_large_block(10 * kMb));
  CHECK(c == a + 10 * kMb);
  CHECK(large_bytes_kept() == 0);  // what is left over is too small
  memset(b, 2, 9 * kMb);
  memset(c, 3, 10 * kMb);
  shrink_large_block(c, 10 * kMb, 5 * kMb);
  shrink_large_block(b, 9 * kMb, 4 * kMb);
  CHECK(large_bytes_kept() == 4 * kMb + 6 * kMb);  // 5 MB and 9 MB had been 6 and 10
  CHECK((c[5 * kMb - 1] == 3 && b[4 * kMb - 1] == 2));
  unmap_large_block(b, 4 * kMb);
  unmap_large_block(c, 5 * kMb);
  CHECK(release_large_blocks());
  CHECK_FALSE(release_large_blocks());
  CHECK(large_bytes_kept() == 0);
}

TEST_CASE("an end that is large enough for it is a huge page") {
  release_large_blocks();
  for (auto [asked, mapped] : {std::pair{8 * kMb, 8 * kMb},
                               {8 * kMb + 4096, 8 * kMb + 4096},
                               {8 * kMb + kMb / 2 - 5000, 8 * kMb + kMb / 2 - 4096},
                               {8 * kMb + kMb / 2, 10 * kMb},
                               {10 * kMb - 1, 10 * kMb}}) {
    auto* block = static_cast<char*>(map_large_block(asked));
    REQUIRE(block);
    memset(block, 1, mapped);
    give_large_block(block, asked);
    CHECK(large_bytes_kept() == mapped);
    release_large_blocks();
  }
}

TEST_CASE("a block larger than those that are kept is made of them") {
  release_large_blocks();
  char* block = nullptr;
  for (size_t bytes = 5 * kMb; bytes < 200 * kMb; bytes += bytes / 2 + 4097) {
    const size_t before = large_bytes_kept();
    auto* next = static_cast<char*>(map_large_block(bytes));
    REQUIRE(next);
    if (before) CHECK(large_bytes_kept() < before);
    CHECK(reinterpret_cast<uintptr_t>(next) % (2 * kMb) == 0);
    memset(next, 1, bytes);
    auto* second = static_cast<char*>(map_large_block(6 * kMb + 4096));
    memset(second, 2, 6 * kMb + 4096);
    CHECK((next[0] == 1 && next[bytes - 1] == 1));
    give_large_block(next, bytes);
    give_large_block(second, 6 * kMb + 4096);
    if (bytes < 30 * kMb) CHECK(large_bytes_kept() > bytes);
    block = next;
  }
  CHECK(block);
  release_large_blocks();
}

TEST_CASE("not too much is kept, and the newest of it") {
  release_large_blocks();
  void* blocks[10];
  for (void*& block : blocks) block = map_large_block(10 * kMb);
  for (void* block : blocks) give_large_block(block, 10 * kMb);
  CHECK(large_bytes_kept() <= 72 * kMb);
  CHECK(large_bytes_kept() >= 20 * kMb);
  void* newest = nullptr;
  while (void* block = take_large_block(10 * kMb)) {
    newest = block;
    unmap_large_block(block, 10 * kMb);
  }
  CHECK(newest == blocks[9]);
  void* huge = map_large_block(size_t{1} << 40);  // addresses only
  if (huge) give_large_block(huge, size_t{1} << 40);
  CHECK(large_bytes_kept() == 0);
}

TEST_CASE("what nobody asks for goes back") {
  release_large_blocks();
  uint64_t now = uint64_t{1} << 60;
  give_large_block(map_large_block(6 * kMb), 6 * kMb);
  release_unused_large_blocks(now);
  CHECK(large_bytes_kept() == 6 * kMb);  // it has just come
  release_unused_large_blocks(now + kKeptLargeNs - 1);
  CHECK(large_bytes_kept() == 6 * kMb);  // not so soon
  release_unused_large_blocks(now + kKeptLargeNs);
  CHECK(large_bytes_kept() == 0);
}

TEST_CASE("who has blocks is counted") {
  release_large_blocks();
  const LargeBlockUse before = large_block_use();
  void* block = map_large_block(12 * kMb);
  CHECK(large_block_use().blocks == before.blocks + 1);
  CHECK(large_block_use().bytes == before.bytes + int64_t{12 * kMb});
  shrink_large_block(block, 12 * kMb, 6 * kMb);
  CHECK(large_block_use().bytes == before.bytes + int64_t{6 * kMb});
  give_large_block(block, 6 * kMb);
  const LargeBlockUse kept = large_block_use();
  CHECK(kept.blocks == before.blocks);
  CHECK(kept.bytes == before.bytes);
  CHECK(kept.kept_bytes >= int64_t{6 * kMb});
  CHECK(kept.given == before.given + 1);
  block = take_large_block(6 * kMb);
  CHECK(large_block_use().reused == before.reused + 1);
  unmap_large_block(block, 6 * kMb);
  CHECK(large_block_use().bytes == before.bytes);
  release_large_blocks();
}

}  // namespace wb
