#include "base/allocator.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>

namespace wb {

bool is_address_space_limited() {
  rlimit space;
  return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

bool has_room_for_thread_heap() {
  if (!mallctl) return true;
  constexpr size_t kHeap = size_t{8} << 20;  // two blocks of 2 MB, with room to align them
  void* room = mmap(nullptr, kHeap, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, kHeap) == 0;
}

void take_thread_heap() {
  void* volatile block = malloc(1);
  free(block);
}

void empty_thread_cache() {
  if (mallctl) mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
}

void give_back_in_background() {
  if (!mallctl || is_address_space_limited()) return;
  bool on = true;
  mallctl("background_thread", nullptr, nullptr, &on, sizeof on);
}

void refresh_malloc_statistics() {
  uint64_t epoch = 1;
  if (mallctl) mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
}

}  // namespace wb
