#include "gc/block_pool.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "base/base.h"
#include "base/sanitizers.h"

namespace wb {

TEST_CASE("blocks of every size are whole and separate") {
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (size_t bytes = 1; bytes < 40000; bytes += 1 + bytes / 7) {
      auto* p = static_cast<unsigned char*>(pool_alloc(bytes));
      memset(p, static_cast<int>(bytes % 251), bytes);
      blocks.push_back({p, bytes});
    }
    for (auto [p, bytes] : blocks) {
      size_t wrong = reinterpret_cast<uintptr_t>(p) % 16;
      for (size_t i = 0; i < bytes; ++i) wrong += p[i] != bytes % 251;
      CHECK(wrong == 0);
      pool_free(p, bytes);
    }
    blocks.clear();
  }
  pool_trim();
  CHECK(pool_cached_bytes() == 0);
}

TEST_CASE("a freed block is the next of its class, and lists are bounded") {
  if (kAsan) return;  // bypassed
  pool_trim();
  void* p = pool_alloc(233 * 8);
  pool_free(p, 233 * 8);
  CHECK(pool_cached_bytes() >= 233 * 8);
  CHECK(pool_alloc(233 * 8) == p);
  pool_free(p, 233 * 8);
  std::vector<void*> many;
  for (int i = 0; i < 10000; ++i) many.push_back(pool_alloc(500));
  for (void* b : many) pool_free(b, 500);
  CHECK(pool_cached_bytes() <= 256 * 1024);
  pool_trim();
}

TEST_CASE("blocks may be freed on another thread") {
  std::vector<void*> blocks;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) blocks.push_back(pool_alloc(700));
  }).join();
  for (void* p : blocks) memset(p, 1, 700);
  std::thread([&] {
    for (void* p : blocks) pool_free(p, 700);
  }).join();
}

TEST_CASE("large blocks shrink in place or say that they cannot") {
  size_t bytes = (20 << 20) + 8;
  auto* p = static_cast<char*>(pool_alloc(bytes));
  memset(p, 7, bytes);
  CHECK_FALSE(pool_shrink(p, bytes, bytes / 16));
  size_t now = pool_shrink(p, bytes, bytes / 4 + 1) ? bytes / 4 + 1 : bytes;
  CHECK((now < bytes || kAsan));
  CHECK(p[now - 1] == 7);
  pool_free(p, now);
  void* small = pool_alloc(1000);
  CHECK_FALSE(pool_shrink(small, 1000, 100));
  pool_free(small, 1000);
}

}  // namespace wb
